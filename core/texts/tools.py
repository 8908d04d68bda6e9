"""Sentences of the built-in tools: step titles, summaries, results."""

_WEEKDAYS = (
    ("星期一", "Monday"),
    ("星期二", "Tuesday"),
    ("星期三", "Wednesday"),
    ("星期四", "Thursday"),
    ("星期五", "Friday"),
    ("星期六", "Saturday"),
    ("星期日", "Sunday"),
)
_MONTHS = (
    *("January", "February", "March", "April", "May", "June"),
    *("July", "August", "September", "October", "November", "December"),
)

TEXTS: dict[str, tuple[str, str]] = {
    "date.day": ("{y}年{m}月{d}日（{weekday}）", "{weekday}, {d} {m} {y}"),
    **{f"date.weekday.{n}": pair for n, pair in enumerate(_WEEKDAYS)},
    **{f"date.month.{n}": (str(n), month) for n, month in enumerate(_MONTHS, 1)},
    "tool.empty": (
        "这里还没有读得出内容的文档。"
        "把文件（PDF、Word、Excel、Markdown 等）拖进这个频道，收到回执后再问。",
        "There are no documents to read here yet. Drop a file (PDF, Word, Excel, text) into this"
        " channel and ask again once its receipt is there.",
    ),
    "tool.comma": ("，", ", "),
    "tool.and": ("、", " and "),
    "tool.and_more": ("{name} 和另外 {n} 个文档", "{name} and {n} more"),
    "tool.page": ("第 {page} 页", "page {page}"),
    "tool.pages": ("，{pages}", ", {pages}"),
    "tool.thread.title": ("读这个话题的对话", "Read this thread"),
    "tool.said.title": ("查找对话 {query}", "Look through the conversation {query}"),
    "tool.said.none": (
        "这里没有找到这样的话。",
        "Nothing like that was said here, as far as I can see.",
    ),
    "tool.said.part": ("（共 {count} 条，以下 {shown} 条）", "({shown} of {count} messages)"),
    "tool.said.summary": ("找到 {count} 条消息", "{count} messages"),
    "tool.time.title": ("查看时间：{zone}", "Look at the clock: {zone}"),
    "tool.time.sentence": (
        "{place}现在是{when}{clock}（时区 {zone}）。",
        "It is {clock} on {when} (time zone {zone}).",
    ),
    "tool.time.unknown": (
        "不认识“{zone}”这个地方或时区；请写城市名（如 东京）或 Asia/Tokyo 这样的时区名。",
        "“{zone}” is no place or time zone that I know; give a city (Tokyo) or a zone like"
        " Asia/Tokyo.",
    ),
    "tool.search.title": ("查文档：{query}", "Search the documents: {query}"),
    "tool.search.summary": ("找到 {passages}：{names}", "{passages} in {names}"),
    "tool.search.no_hits": ("没有找到", "Nothing found"),
    "tool.search.close": ("只有 {passages}有些相近", "Only {passages} that come near"),
    "tool.search.weak": (
        "下面的片段只是有些相近，多半没有答案；没有就按规定的话说没有，不要硬凑。",
        "These passages only come near and most likely hold no answer; if they hold none, say so in"
        " the words that you were given.",
    ),
    "tool.search.none": (
        "没有找到与“{query}”相关的内容。可以换个说法；找固定的字词用 search_documents。",
        "Nothing was found for “{query}”. Try other words; for an exact string take"
        " search_documents.",
    ),
    "tool.words.title": ("按原文查找：{query}", "Find the exact words: {query}"),
    "tool.words.none": (
        "没有文档含有“{query}”这些字词。",
        "No document holds the words “{query}”.",
    ),
    "tool.document.title": ("阅读 {name} 第 {page} 页", "Read {name}, page {page}"),
    "tool.document.head": (
        "[{mark}] {name}，第 {page} 页，共 {pages} 页",
        "[{mark}] {name}, page {page} of {pages}",
    ),
    "tool.document.cut": (
        "（到这里截断：已给出 {shown} 个字符，这一页还有 {cut} 个没有给出。）",
        "(Cut here: {shown} characters are shown, {cut} more of this page are not.)",
    ),
    "tool.document.next": ("（下一页：page={page}）", "(Next page: page={page})"),
    "tool.document.unknown_mark": (
        "没有编号 [{mark}] 的文档；目前有 {known} 个编号，先用搜索或 latest_documents 得到编号。",
        "No document has the number [{mark}]; numbers given so far: {known}. Search or call"
        " latest_documents first to get one.",
    ),
    "tool.document.unknown_name": (
        "这里没有名为“{name}”的文档；用 latest_documents 看看有哪些。",
        "There is no document named “{name}” here; latest_documents shows what there is.",
    ),
    "tool.latest.title": ("查看最新的文档", "Look at the latest documents"),
    "tool.latest.said": ("最新的文档：", "The latest documents:"),
    "tool.latest.line": (
        "[{mark}] {name}（{date}{pages}{state}）：{start}",
        "[{mark}] {name} ({date}{pages}{state}): {start}",
    ),
    "tool.state.partial": ("，只读出一部分", ", read in part"),
    "tool.state.needs_ocr": ("，扫描件，读不出文字", ", scanned, no text to read"),
    "tool.state.encrypted": ("，有密码，读不了", ", encrypted, cannot be read"),
    "tool.state.unsupported": ("，格式不支持", ", format not supported"),
    "tool.state.empty": ("，空文件", ", empty"),
    "tool.state.corrupt": ("，文件损坏", ", damaged"),
    "tool.state.failed": ("，处理失败", ", could not be processed"),
    "tool.stats.title": ("统计知识库", "Count the documents"),
    "tool.stats.sentence": (
        "这里有 {documents}，共 {passages}、{characters} 个字符；最早 {first}（{ago}），"
        "最新 {latest}。",
        "{documents} here, with {passages} and {characters} characters; the first came on {first}"
        " ({ago}), the latest on {latest}.",
    ),
    "tool.stats.ago": ("{days}前", "{days} ago"),
    "tool.stats.today": ("今天", "today"),
}
