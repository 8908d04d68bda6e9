"""English turns of phrase that mark something worth keeping. Each stands with an example."""

from core.memory.gate.op import Sign

_NOT_THIS = r"(?!(?:this|that|it|these|those|them|your?|you're|how|what|where|the (?:first|second|third|last|new|old|other|idea|way|look|sound|one|draft|version|plan|proposal|design|result)|him|her|to (?:know|see|hear|ask|have|get|thank|say))\b)"
_BE = r"(?:'m|’m| am)"
_FREQ = r"(?:(?:really|usually|generally|always|much|strongly|still|do|absolutely|personally|actually|just|also|definitely|now|only|mostly|normally|typically|never|rather) )*"
_WE = r"(?:i|we|my team|our team|our squad|our company)"
_STATIVE = r"(?:is|are|was|were|will be|gets?|got|has been|starts?|ends?|opens?|closes?|ships?|launch(?:es|ed)?|goes? live|lands?|expires?|runs?|moves?|moved|slips?|slipped|falls?|kicks off|happens|takes place|freez\w+|begins?|finish\w*|stays?|remains?)"
_VERBS_OF_FORM = r"(?:use|give|write|answer|reply|respond|call|address|put|keep|include|add|show|send|ping|book|schedule|format|cite|explain|summari[sz]e|start|end|skip|avoid|stick|convert|translate|sort|list|round|assume|ask|tell|say|run|make|spell|wrap|leave|default|prefer|go|be|lead|speak|message|call|disturb|interrupt|wake|remind|notify|suggest|recommend|push|deploy|merge|touch|name|log|quote|mention|sign|store|check|test)"

SIGNS: tuple[Sign, ...] = (
    # Who they are.
    Sign(
        "identity",
        r"\bi no longer (?:lead|work|manage|run|live|report|own|head|maintain|teach|study)\b",
        "I no longer lead the payments team",
        change=True,
    ),
    Sign(
        "identity",
        r"\bi (?:also |mostly |mainly |usually |can )*(?:write|code in|program in|develop in|know) (?:some |a bit of |mostly )?(?:go|golang|python|rust|java|kotlin|c\+\+|ruby|scala|typescript|javascript|swift|elixir|haskell|php|sql|perl)\b",
        "I also write Go",
    ),
    Sign(
        "identity", r"\bmy (?:full |first |last |given )?name(?:'s| is)\b", "my name is Dana Cole"
    ),
    Sign(
        "identity",
        r"(?-i:\bI(?:'m|’m| am) (?!I\b)[A-Z][a-z]+)(?=$| (?:from|and|here|with|on|in|at)\b| [A-Z])",
        "I'm Priya",
    ),
    Sign(
        "identity",
        rf"\bi{_BE} (?:(?:an?|the|one of the|currently|also|now|just|both|actually) )*(?:[\w/-]+ ){{0,4}}(?:engineer|developer|dev|designer|manager|analyst|scientist|lead|head of|director|nurse|doctor|teacher|lawyer|student|intern|consultant|accountant|architect|researcher|recruiter|writer|editor|founder|ceo|cto|cfo|vp|pm|sre|dba|qa|administrator|admin|officer|specialist|technician|translator|freelancer|contractor|professor|scrum master|on[- ]call|sysadmin|owner|coordinator|assistant|buyer|planner|marketer|controller|paralegal|librarian|chemist|physicist|pharmacist|pilot|chef|partner|newcomer|new hire)\b",
        "I'm a staff engineer on search",
    ),
    Sign(
        "identity",
        rf"\bi{_BE} (?:in|on|with|from|part of|a member of|based|responsible for|in charge of|originally from|located|new (?:to|in|at) the)\b(?! (?:it|my way|board|fire|call|vacation|holiday|leave|pto|parental|maternity|paternity|sick|sabbatical|time|track|hold|favou?r|touch|charge of this|trouble|love|shock|pain|luck|schedule|duty today|a |an |this|that|the (?:way|phone|same|middle|mood|fence|road|go|process))).*",
        "I'm on the platform team",
    ),
    Sign(
        "identity",
        r"\bi (?:also )?(?:work|live|reside|grew up|was born|report|joined|run|lead|manage|head|own|oversee|maintain|study|teach|sit|mentor|moved|relocated|transferred|commute)\b(?: (?:as|at|in|on|for|with|from|out|to|under|the|a|an|our|two|three|up|remotely|part|full|nights|back|over|into|mostly|near|across)\b)(?! (?:it|that|this|into (?:a|an|this|some|trouble)|on it|on this|the (?:tests?|script|command|build|query|job|migration|app|pipeline))\b)",
        "I run the payments team",
    ),
    Sign(
        "identity",
        rf"\bi(?:{_BE}|'ve| have)? ?(?:(?:severely|mildly|slightly|lactose|gluten|really|also|strictly|a|an|been|become|gone|mostly|always been|deathly) )*(?:allerg\w+|intolerant|vegetarian|vegan|pescatarian|celiac|coeliac|diabetic|colou?r[- ]?blind|left[- ]handed|right[- ]handed|dyslexic|deaf|hard of hearing|blind|asthmatic|pregnant|halal|kosher|sober|teetotal|an introvert|introverted|neurodivergent)\b",
        "I'm severely allergic to peanuts",
    ),
    Sign(
        "identity",
        r"\bi (?:don'?t|do not|can'?t|cannot|never|no longer) (?:eat|drink) (?:any )?(?:meat|pork|beef|fish|seafood|shellfish|dairy|gluten|nuts|eggs|alcohol|lactose|wheat|peanuts)\b",
        "I don't eat pork",
    ),
    Sign(
        "identity",
        rf"\bi{_BE} (?:\d{{2}}|(?:twenty|thirty|forty|fifty|sixty)[- ]?\w*)(?: years old)?$|\bi{_BE} \d+ years old",
        "I'm 34 years old",
    ),
    Sign(
        "identity",
        r"\b(?:my|our) (?:(?:new|home|work|office|current|preferred|postal|main|usual|secondary|native|first|job|desk|default|employee|staff|personal|laptop|local) )*(?:time ?zone|birthday|pronouns|title|role|position|team|department|office|desk|address|phone number|number|email|e-mail|city|home ?town|country|nationality|mother tongue|native language|language|nickname|surname|boss|manager|wife|husband|partner|spouse|son|daughter|kids?|children|baby|dog|cat|mother|father|mom|dad|sister|brother|deputy|assistant|employee (?:id|number)|work(?:ing)? (?:hours|days)|office hours|laptop|background|blood type|degree|twins|shirt size|t-shirt size|initials|handle|username|github|mentor|commute)(?:'s)?(?: (?:name|birthday))? (?:is|are|=|was|has (?:been )?(?:changed|moved)|has|have|goes by|runs?|works?)\b(?! (?:broken|slow|down|not working|acting|mad|asking|waiting|annoyed|late|crashing|dead|full|stuck|driving))",
        "my timezone is UTC+1",
    ),
    Sign(
        "identity",
        r"\bi (?:have|'ve got|have got) (?:an? |two |three |four |twin |my )?(?:young |little |small |old |one |severe |mild )*(?:kids?|children|daughters?|sons?|twins?|dogs?|cats?|wife|husband|asthma|adhd|dyslexia|diabetes|celiac\w*|(?:[\w]+ )?allerg\w+|migraines?|background in|degree in|phd|master'?s|newborn|baby)\b",
        "I have two kids",
    ),
    Sign(
        "identity",
        r"\bi (?:also )?(?:speak|am fluent in|grew up speaking) (?:fluent |native |some |a little |only |both )?(?-i:[A-Z])\w+",
        "I speak Portuguese and German",
    ),
    Sign(
        "identity",
        r"^as (?:an?|the) (?:[\w-]+ ){0,3}(?:engineer|developer|designer|manager|analyst|scientist|lead|nurse|doctor|teacher|lawyer|student|intern|consultant|accountant|architect|researcher|father|mother|parent|vegetarian|vegan|diabetic)\b",
        "as a diabetic",
    ),
    Sign(
        "identity",
        r"\bi(?:'ve| have) (?:been|worked) (?:an? |the |with |at |in |on |here |for )+.{2,40}\b(?:for|since)\b.*\b(?:years?|months?|20\d\d)\b",
        "I've been at the company for six years",
    ),
    Sign(
        "identity",
        r"\bi(?:'ve| have| just)* (?:changed|switched|transferred|moved|got promoted|been promoted|was promoted|got transferred|am moving|took over) (?:teams?|jobs?|roles?|to|as|the|into|from)\b(?! (?:it|this|that)\b)(?=.*(?:team|office|department|role|lead|manager|engineer|job|position|squad|branch|company))",
        "I transferred to the Lisbon office",
        change=True,
    ),
    Sign(
        "identity",
        rf"\bi{_BE} (?:no longer|not) (?:in|on|at|with|a|an|the|based|vegetarian|vegan)\b.*(?:any ?more|team|now)?",
        "I'm no longer on the growth team",
        change=True,
    ),
    # What they like, and how they want things.
    Sign(
        "preference",
        rf"\bi {_FREQ}(?:don'?t |do not |no longer |can'?t |cannot )?{_FREQ}(?:like|love|prefer|hate|dislike|enjoy|adore|loathe|detest|favou?r|can'?t stand|cannot stand|stand|can't bear|fancy|appreciate)\b(?! to (?:know|see|hear|ask)) {_NOT_THIS}\w",
        "I prefer aisle seats",
    ),
    Sign(
        "preference",
        r"\bi(?:'d|’d| would) (?:always |generally |usually |much )?(?:rather|prefer)\b(?! (?:this|that|it|not|wait|go|do|stay|leave)\b)(?=.*(?:always|generally|usually|over|than|instead of))",
        "I would always rather read a table than prose",
    ),
    Sign(
        "preference",
        r"\bi(?:'d| would) (?:like|love|want|prefer) (?:all |every |my |your )(?:answers?|repl(?:y|ies)|summar(?:y|ies)|reports?|responses?|updates?|emails?|code)\b",
        "I'd like all summaries in German",
    ),
    Sign(
        "preference",
        r"\bi (?:really |always |also |only |usually |do )*(?:want|need|expect) (?:all |my |your )?(?:answers|replies|summaries|reports|responses|explanations|updates|code reviews|reminders|messages)\b",
        "I want answers with sources",
    ),
    Sign(
        "preference",
        r"\b(?:can'?t|couldn'?t|cannot) (?:live|survive|function|work|start (?:the|my) day|do|get through (?:the|a|my) day) without\b(?! (?:you|it|this|that)\b)",
        "I can't function without green tea",
    ),
    Sign(
        "preference",
        r"\bmy (?:absolute |all[- ]time |new )?(?:fav(?:ou?rite)?|preferred|go[- ]?to|usual|default|weapon of choice)\b.*\b(?:is|are|=|will always be)\b|\b(?:is|are) my (?:fav(?:ou?rite)?|go[- ]?to|preferred|jam|drink of choice|editor of choice)\b",
        "my favourite editor is Zed",
    ),
    Sign(
        "preference",
        rf"\bi{_BE} (?:more |much more |very much |definitely |really |basically |totally )*(?:of )?(?:an? )?(?:[\w-]+ )?(?:person|type|guy|kind of person|night owl|early bird|morning lark|fan of|big fan|not a fan|lover|addict|drinker|nerd)\b(?! of (?:this|that|it|yours?)\b)|\bi{_BE} (?:really |not )?(?:into|fond of|keen on|partial to|not (?:into|keen on|fond of)|used to)\b(?! (?:it|this|that)\b)",
        "I'm not a fan of long emails",
    ),
    Sign(
        "preference",
        r"\bi (?:only |always |usually |never |generally |mostly |typically |normally |exclusively |still )+(?:use|drink|eat|work|write|read|fly|take|sit|travel|book|wear|run|start|do|deploy|code|answer|check|listen|watch|buy|type|develop|test|go|have|order|sleep|ship|read)\b(?! (?:it|this|that|to)\b)",
        "I only drink decaf",
    ),
    Sign(
        "preference",
        r"\bi (?:drink|wear|play|ride|collect|cook|cycle|bike|smoke)\b (?!(?:it|this|that|with|around|back|along|a (?:part|role))\b)\w+|^use [\w ]+, not [\w ]+.*\b(?:everything|everywhere|all|whenever|always)\b",
        "I drink tea",
    ),
    Sign(
        "preference",
        r"\bi(?:'ve| have)? (?:now |just |finally |recently |completely |since )*(?:switched|converted|moved over|migrated|gone back|went back|come back|changed) (?:back )?(?:from [\w .+-]+ )?to\b(?! (?:the (?:[\w-]+ )?(?:team|office|department|branch))\b)(?! (?:this|that|it)\b)",
        "I've switched to Helix for good",
        change=True,
    ),
    Sign(
        "preference",
        r"\bi (?:now|currently) (?:use|drink|prefer|like|write|work with|take|eat|read|love|go with)\b(?! (?:it|this|that)\b)|\bi use (?!it|this|that|the (?:first|second|script|command))[\w .+/-]+ (?:now|these days|nowadays|as my|for (?:everything|all|most|my|coding|editing|notes|writing))\b",
        "I now use fish",
        change=True,
    ),
    Sign(
        "preference",
        r"^(?:it'?s )?(?:only|just|nothing but) [\w ]+ (?:now|these days|nowadays|from now on|for me)$|^[\w ]+ (?:only|all the way),? (?:now|from now on|these days)$|\bnothing but [\w ]+ for me\b",
        "only tea now",
        change=True,
    ),
    Sign(
        "preference",
        r"\bi(?:'ve| have)? (?:recently |just |finally |completely )*(?:quit|given up|gave up|stopped|sworn off|gone off|dropped|ditched|started (?:drinking|eating|using|liking|preferring)|grown to like|come to like|changed my mind about|cut out)\b(?! (?:it|this|that|the (?:server|job|script|process|service|build|container))\b) \w",
        "I've given up coffee",
        change=True,
    ),
    Sign(
        "preference",
        r"\bi (?:no longer|don'?t)\b.*\b(?:any ?more)\b|\bi no longer (?:use|drink|eat|like|want|need|prefer|write|read|work)\b",
        "I don't use tables any more",
        change=True,
    ),
    Sign(
        "preference",
        r"(?:^|\bplease |\bjust |\byou can |\byou should |\byou may |\bto |\bthen |: ?)(?:please )?(?:always|never|from now on|going forward|by default|in (?:the )?future|as a rule|only ever|in general)\b(?! (?:mind|happy|glad|been|works?|fails?|crash\w*|a good|say never|had|seen|heard|happened|know|knew|thought)\b),? ?(?:(?:please|only|to|just|always|never|don't|do not) )*[a-z]",
        "always use CTEs",
    ),
    Sign(
        "preference",
        rf"(?:^|\bplease |\bjust ){_VERBS_OF_FORM}\b.*\b(?:always|from now on|going forward|by default|in (?:the )?future|every time|each time|as a rule|for me whenever)\b",
        "use metric units from now on",
    ),
    Sign(
        "preference",
        rf"^(?:please )?(?:do not|don'?t|never|no need to|you (?:don'?t|do not) (?:need|have) to|stop|quit|avoid|refrain from) (?:{_VERBS_OF_FORM}|\w+ing)\b.*\b(?:ever|any ?more|again|always|before|after|on (?:\w+days|weekends)|at night|me|all the time|every time|so much|in everything|for everything|everywhere|from now on|in (?:the )?future)\b",
        "don't ping me before 10am",
    ),
    Sign(
        "preference",
        r"^(?:please )?(?:keep|make|write|format|phrase|give me|send me|start|end|begin|structure|lead) (?:all |every |all of )?(?:my |your |the )?(?:answers|replies|summaries|responses|explanations|reports|emails|messages|code comments|commit messages|updates|meeting notes)\b",
        "keep your answers short",
    ),
    Sign(
        "preference",
        r"^(?:whenever|when|if|any ?time|every time) (?:you|i) (?:write|answer|ask|reply|summari[sz]e|send|explain|draft|translate|review|give|show|create|make|book|schedule|mention|say|talk|post|share|do|use|send|need|want)\b",
        "when you write SQL for me",
    ),
    Sign(
        "preference",
        r"\b(?:call|address) me (?!(?:later|back|tomorrow|when|if|at|on|a |an |crazy|in|after|before|today|tonight)\b)\w+|\bi (?:go by|prefer to be called|like to be called)\b",
        "call me Mo",
    ),
    Sign(
        "preference",
        r"^(?:(?:short|brief|concise|long|detailed|plain|simple|formal|informal|numbered|bulleted) )+(?:answers|replies|summaries|sentences|explanations|lists|responses)(?: please| for me| only| always)?$|^no (?:emojis?|tables|jargon|smileys|exclamation marks|small talk|filler|preamble|bullet points|abbreviations|apologies|fluff|headings)(?: please| ever| for me| in .*)?$|^(?:metric|celsius|iso dates|dark mode|24[- ]?hour (?:clock|time|format))(?: units)?(?: only| please| always| for me)+$",
        "no emojis please",
    ),
    Sign(
        "preference",
        r"\b(?:i|my) .*\b(?:not|never|no) before \d|\bmy (?:mornings|evenings|fridays|mondays|weekends|lunch ?breaks?|afternoons) (?:are|is) (?:off[- ]limits|sacred|for (?:deep|focus)\w*|blocked|reserved|free of)",
        "my mornings are reserved for deep work",
    ),
    Sign(
        "preference",
        r"\b(?:you (?:can|may|should|could)|please|feel free to) (?:skip|drop|omit|leave out|assume|spare me)\b.*\b(?:intro\w*|basics|explanations?|pleasantries|disclaimers?|i know|preamble|background|small talk|greetings?|caveats|always|apologies)\b|\bi already know\b.*\bskip\b|\bspare me\b",
        "you can skip the basics",
    ),
    # What is going on.
    Sign(
        "context",
        r"\b(?:in|for|on) (?:this|the|our) (?:channel|room|server)\b.*\b(?:only|always|never|please|must|should|no|everyone|english|chinese|don'?t|keep|use)\b|^(?:channel|team|house) rule\b|\b(?:everyone|everybody|we all) (?:here )?(?:should|must|please|writes?|uses?|posts?|keeps?)\b",
        "in this channel please write English only",
        whole=True,
    ),
    Sign(
        "context",
        r"\b(?:i|we)(?:'m|’m|'re|’re| am| are|'ve been| have been|'ll be| will be) (?:(?:currently|now|still|also|just|both|mostly|actively|slowly|busy|planning on|in the middle of|about to|going to|planning to|scheduled to|supposed to|expected to|knee[- ]deep in) )*(?:work(?:ing)? on|build(?:ing)?|migrat(?:e|ing)|writing|write|prepar(?:e|ing)|plan(?:ning)?|launch(?:ing)?|rewrit(?:e|ing)|hir(?:e|ing)|study(?:ing)?|learn(?:ing)?|train(?:ing)? for|moving|move|switch(?:ing)?|roll(?:ing)? out|port(?:ing)?|organi[sz](?:e|ing)|refactor(?:ing)?|replac(?:e|ing)|ship(?:ping)?|releas(?:e|ing)|draft(?:ing)?|merg(?:e|ing)|onboard(?:ing)?|audit(?:ing)?|setting up|running a|design(?:ing)?|develop(?:ing)?|testing out|renovat\w+|redesign\w*|consolidat\w+|upgrad\w+|deprecat\w+|phas\w+ out|sunset\w*|prototyp\w+|pilot\w+|translating|researching|investigating|collecting|renegotiating|negotiating|fundraising|open(?:ing)? an?|clos(?:e|ing) (?:down )?(?:our|the)|mov(?:e|ing) (?:our|the)|freez\w+|cut(?:ting)? over|rebrand\w*|restructur\w+|interviewing|covering for|handing over|taking over|standardi[sz]\w+|splitting|decommission\w*)\b(?! (?:it|this|that|these|them|on it|on that|on this)\b)(?! (?:a|an|some|lunch|dinner) (?:email|message|reply|lunch|dinner|coffee)\b)",
        "we're migrating billing to Postgres",
    ),
    Sign(
        "context",
        r"\b(?:i|we)(?:'m|’m|'re|’re| am| are| have been|'ve been) (?:(?:currently|now|still|also|just|seriously) )*(?:consider|evaluat|explor|compar|look|think|weigh|toy|investigat)ing (?:into |about |with |between |whether |the idea of |of )*(?!(?:it|this|that|you|lunch|dinner|food|what|how|them|about it|at (?:it|this|the|your))\b)\w+",
        "we're evaluating Kafka and Pulsar",
    ),
    Sign(
        "context",
        r"\b(?:i|we|my team|our team)(?:'m|’m|'re|’re| am| are| is|'ll be| will be)? ?(?:going |will be |be |back |away )*(?:on|from|for)? ?(?:vacation|holiday|parental leave|maternity leave|paternity leave|sick leave|leave|pto|sabbatical|out of (?:the )?office|ooo|away|off|travel\w+|abroad|on[- ]call|on a business trip|unavailable)\b.*(?:20\d\d-|from|until|till|next|through|starting|week)",
        "I'm on leave until 2026-03-20",
        whole=True,
    ),
    Sign(
        "context",
        r"\b(?:our|my|the|team|company|project|annual|marketing|total)\s(?:[\w'/-]+ ){0,4}(?:budget|deadline|due date|quota|target|goal|limit|headcount|milestone|sla|slo|okrs?|kpi|code ?name|launch date|release date|release|sprint|retro|stand-?up|demo|go-live|kick-?off|roadmap|retention|allowance|cap|threshold|freeze|stack|framework|infrastructure|backend|frontend|pipeline|repo|tooling|contract|tender|audit|migration|offsite|town hall|review|exam|visa|lease|trial|cut-?over)(?: (?:for|of|in|until|this) [\w' /-]{1,24})? (?:is|are|was moved|got moved|has been|moved|will be|stays|starts|ends|runs|expires|closes|opens|slipped|happens|got pushed|was pushed|takes place|begins|goes)\b(?! (?:broken|slow|down|great|good|bad|annoying|fun|boring|where|what|crazy|tight enough|done\?|unclear))",
        "our error budget for March is 43 minutes",
        whole=True,
    ),
    Sign(
        "context",
        rf"^(?!(?:i'?ll|let'?s|let me|can|could|would|will|please|remind|send|book|see|meet|call|schedule|move|ping|check|look|add|set|give|show|tell|talk|try|write|make|draft|prepare|happy|good|bob|weather)\b)(?:[\w'&/.#-]+ ){{1,8}}?(?:{_STATIVE}|must|needs? to|has to|have to|deadline|due|until|by|on|for|from|to|launch|release|read-only|frozen|postponed|delayed|pushed|rescheduled|cancel\w+|scheduled|planned|blocked)\b.*20\d\d-\d\d",
        "staging db is read-only until 2026-03-05",
        whole=True,
    ),
    Sign(
        "context",
        r"\b(?:we|our team|the team|i)(?:'ve| have)? (?:all |finally |now |just |officially )*(?:decided|agreed|settled|chose|chosen|picked|are going with|went with|committed|signed off|opted|voted)\b(?! (?:that|it|this)$)(?=.* \w)|^(?:decision|decided|final decision|agreed)\s?[:：]|\bthe decision is\b",
        "we decided to keep the monolith",
    ),
    Sign(
        "context",
        r"\b(?:we|our team|my team|our company|our stack|our app|our backend|the team)(?:'re| are)? (?:(?:currently|now|still|only|mostly|all|both|already) )*(?:use|uses|run|runs|running|deploy|deploys|host|hosts|store|stores|rely|relies|ship|ships|support|supports|work in|works in|meet|meets|follow|follows|have|has|got) (?!(?:to|a (?:problem|question|bug|meeting)|you|it|this|that|an (?:issue|error|outage))\b)\w+",
        "we run Postgres 15 in production",
    ),
    Sign(
        "context",
        r"\b(?:we|i|our team|the team)(?:'ve| have)? (?:just |finally |already |officially |successfully )*(?:finished|completed|shipped|launched|released|closed|wrapped up|delivered|migrated|rolled out|cancell?ed|postponed|paused|put .{2,30} on hold|dropped|abandoned|killed|won|signed|merged|deployed|resumed|unblocked)\b(?! (?:it|this|that|eating|lunch|dinner|reading|work|for today|my coffee)\b) \w|^(?:the |our )?(?:[\w-]+ ){1,5}(?:is|are|was|were|has been|got) (?:now |finally |already |officially )*(?:finished|completed?|done|shipped|launched|live|released|delivered|cancell?ed|postponed|paused|on hold|blocked|unblocked|delayed|approved|signed|closed|dropped|resumed|merged)\b",
        "we finished the billing migration",
        whole=True,
    ),
    Sign(
        "context",
        r"\b(?:we'?re|i'?m|we are|i am|the (?:[\w-]+ ){1,3}is|our (?:[\w-]+ ){1,3}is) (?:currently |still |now )*(?:blocked|stuck|waiting) (?:on|by|for|until) (?!you\b|it\b|that\b|this\b)\w+",
        "we're blocked on the security review",
        whole=True,
    ),
    # What was learned.
    Sign(
        "experience",
        r"\b(?:turns? out|turned out|root cause|the (?:actual |real )?(?:cause|culprit|trick|fix|solution|problem|issue|reason|workaround|catch|gotcha|key) (?:is|was|turned)\b|it was (?:because|caused|due)|caused by|due to (?:a|an|the)\b|because of (?:a|an|the)\b)(?!.*\?)(?=.*\w+ \w+)",
        "turns out the proxy strips the header",
        whole=True,
    ),
    Sign(
        "experience",
        r"\b(?:\w+ing|which|that|\w+ \w+) (?:has |have |had |finally |actually |really )*(?:fixed|solved|resolved|cured|sorted|unblocked|unstuck|did the trick|made it work|got it working|helped)\b (?!(?:it|that|this|things?)$)(?=.{6,})|\b(?:fixed|solved|resolved|sorted)(?: it| that| this| the [\w -]{2,40})? (?:by|with|after|via|using|once|when)\b|\b(?:\w+ing [\w -]{4,60}|which|that) (?:did the trick|made it work|got it working|was the fix|fixed it|solved it|worked)$",
        "clearing the cache fixed the stuck build",
        whole=True,
    ),
    Sign(
        "experience",
        r"\b(?:lesson learn(?:ed|t)|learn(?:ed|t) (?:the hard way|that|today|our lesson)|note to self|never again|won'?t do that again|for next time|next time,? (?:we|i|let'?s|do|don'?t|use|check|remember|make|start|run|take|test)|should have|in hindsight|rule of thumb|pro tip|word of warning|burned us|bit us|bites? (?:us|you))\b",
        "never again without a backup",
        whole=True,
    ),
    Sign(
        "experience",
        r"\b(?:last time|the other day|once|previously|back then) (?:we|i|somebody|someone) .*\b(?:deleted|broke|lost|crashed|failed|took down|dropped|overwr\w+|wiped|leaked|forgot|corrupted|locked|had to|blew up|locked)\b|\b(?:(?:took|cost|wasted) (?:us|me)|(?:we|i) (?:spent|lost|wasted|needed)) .{0,24}\b(?:hours?|days?|weeks?|months?|afternoon|morning|weekend|ages|sprint|night)\b",
        "last time we ran that script it deleted the audit table",
        whole=True,
    ),
    Sign(
        "experience",
        r"\b(?:only works?|won'?t work|doesn'?t work|stops? working|breaks?|fails?|crashes|silently (?:fails|drops|ignores)|hangs|times out|works? (?:fine )?(?:only )?) (?:if|when|unless|with|without|after|because|on|for)\b (?!(?:me|us|now|it)\b)\S+ \w+|\bmake sure (?:to|you|that)\b.*\b(?:first|before|otherwise|or else)\b|\bneeds? .{2,40} (?:or|otherwise) (?:it|the|you)\b",
        "the exporter only works if UTF-8 is set",
        whole=True,
    ),
    Sign(
        "experience",
        r"\b(?:i|we)(?:'ve| have)? (?:finally |just |eventually )*(?:figured out|found out|found that|discovered|noticed that|realised|realized|tracked it down|traced|narrowed it down|managed to|got .{2,50} (?:working|to work|running))\b(?=.* \w+ \w+)|\bafter (?:trying|three|two|four|five|several|many|hours|days)\b.*\b(?:worked|works|fixed|solved|did it|helped|win)\b|\b(?:works?|worked) (?:much |a lot |way )?(?:better|best|faster) (?:than|with|if|when|without)\b",
        "we found out that the vendor rate limits per IP",
        whole=True,
    ),
    Sign(
        "experience",
        r"\b(?:that|it|this) worked\b|^(?:solved|fixed|resolved|got it|working now)\b.*\b(?:was|by|because|needed|had to)\b",
        "it worked after setting the proxy",
        whole=True,
    ),
)

ALSO = r"\b(?:also|too|as well|besides|in addition|another|plus|on top of that|additionally)\b"
"""Adds something: never ends what is known."""

CHANGED = r"\b(?:no longer|not .{1,30} any ?more|any ?more|instead|now|switched|changed|moved|used to|rather than|actually|no wait|correction|meant|pushed|postponed|rescheduled|back to|after all|for good|these days|nowadays|from now on|slipped|renamed|became|new)\b"
REPEATED = r"\bas (?:i|we) (?:said|mentioned|told you)|\blike i (?:said|told you)|\bi (?:already )?(?:told|said|mentioned)\b.*\b(?:already|before|you)\b|\bagain[,:]|\bas (?:always|usual|before)\b"
CORRECTED = r"^(?:no|nope|sorry|wait|oops|actually|correction|my bad|my mistake|scratch that|ah no|not [\w .'-]{1,30})\b.*\b(?:i (?:meant|mean)|it'?s|it was|not|should be|make that)\b|\b(?:i meant|correction:|i misspoke|i was wrong|that was wrong|that'?s (?:wrong|not right|outdated|no longer true)|i made a mistake)\b"
DONE = r"\b(?:finished|completed?|done with|shipped|launched|released|wrapped up|delivered|closed|rolled out|went live|is live|is done|are done|merged|over)\b"
STOPPED = r"\b(?:cancell?ed|dropped|abandoned|killed|called off|scrapped)\b"
BLOCKED = r"\b(?:blocked|stuck|on hold|paused|waiting (?:on|for)|postponed|delayed)\b"
EXPLORED = r"\b(?:consider|evaluat|explor|compar|look|think|weigh|toy|investigat)ing\b"
NEGATIVE = r"\b(?:not|no|never|don'?t|doesn'?t|won'?t|can'?t (?!live|function|survive|work without)|hate|hates|dislikes?|avoid|stop|quit|given up|gave up|loathe|detest|without|no longer|anti)\b"
REMEMBER = r"^(?:so |and |also |ok |oh |hey )*(?:please |pls |kindly |can you |could you )?(?:always )?(?:remember|keep in mind|bear in mind|make a note|take (?:a )?note|note|note down|jot down|don'?t forget|save(?: this| that)?(?: to memory)?|memori[sz]e|store|for (?:future|later) reference|for your (?:information|memory|notes)|know)(?: for (?:later|next time|the future|future reference))?(?: please)?\s*(?:(?:that|this|it|:|,|-|—)\s*)+(?P<what>.*)$"
REMEMBER_BARE = r"^(?:please )?(?:remember|note|save|memori[sz]e) (?:my|our|i|we|the|i'm|i prefer|always|never)\b"
FORGET = r"^(?:(?:please|pls|can you|could you|now|ok|and|so|just|hey|actually|also|you can|you should) )*(?:forget|delete|erase|remove|clear|wipe|drop|discard|unlearn|stop remembering|don'?t remember|no longer remember)\b (?P<what>.+)$"
FORGET_NOTHING = r"^(?:it|that|this|about it|about that|to .*|the (?:last|previous) (?:question|message|request)|what i (?:just )?(?:asked|said)|the (?:file|line|row|column|table|branch|test|comment|document|docs?)\b.*|.*\b(?:file|line|column|row|branch|function|database|bucket|container|paragraph|sentence|commit|duplicates?|index|cache)\b.*)$"
ALL_OF_IT = r"\b(?:everything|all)\b.*\b(?:about me|you know|of me|i (?:said|told)|memor\w+|you(?:'ve| have)? (?:stored|saved|remember\w*|learn\w*))\b|^(?:all )?(?:my|your) (?:memory|memories)(?: of me| about me)?$|^(?:about )?me$"
OFF = r"\b(?:off the record|don'?t (?:remember|store|save|record|log|memori[sz]e|note|keep) (?:this|that|the (?:following|next)|what (?:i|follows)|anything|any of (?:this|it)|my next|these)|do not (?:remember|store|save|record|memori[sz]e|keep) (?:this|that|the (?:following|next)|what (?:i|follows)|anything|any of (?:this|it))|nothing (?:of this|here) (?:should|is to) be (?:remembered|stored|saved)|not for (?:the record|your memory)|incognito|forget (?:this conversation|what i'?m about)|between us and (?:don'?t|not))\b|\b(?:don'?t|do not) remember this\b"
TASK = r"^(?:please |can you |could you |now )?(?:write|draft|translate|summari[sz]e|make|create|find|search|look up|compute|calculate|generate|rewrite|list|explain|compare|book|order|send|prepare|check|review|fix|show|plan|design|give me (?:a|an|the|some))\b"
RULE = r"\b(?:in|for|on) (?:this|the|our) (?:channel|room|server)\b.*\b(?:only|always|never|please|must|should|no|everyone|english|chinese|don'?t|keep|use)\b|^(?:channel|house) rule\b"
"""A rule for everybody in a channel."""
