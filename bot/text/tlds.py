"""Last labels that clients take for a domain when it stands bare in a text."""

from __future__ import annotations

_FILES = (
    "md py sh rs pl ps so cc do mm ml ai zip mov app java id name me my is it in no to at be by as"
    " am us st sc ma ms re la pm hs bz cab cfd"
)
FILE_TLDS = frozenset(_FILES.split())
"""Domains too, but in a chat about files and code far more often something else. They are taken
for a domain only with a path behind them."""

_COUNTRIES = (
    "ac ad ae af ag al ao aq ar au aw ax az ba bb bd bf bg bh bi bj bm bn bo br bs bt bw ca cd cf"
    " cg ch ci ck cl cm cn co cr cu cv cw cx cy cz de dj dk dm dz ec ee eg er es et eu fi fj fk fm"
    " fo fr ga gb gd ge gf gg gh gi gl gm gn gp gq gr gs gt gu gw gy hk hm hn hr ht hu ie il im io"
    " iq ir je jm jo jp ke kg kh ki km kn kp kr kw ky kz lb lc li lk lr ls lt lu lv ly mc md me mg"
    " mh mk mn mo mp mq mr mt mu mv mw mx mz na nc ne nf ng ni nl np nr nu nz om pa pe pf pg ph pk"
    " pn pr pt pw py qa ro ru rw sa sb sd se sg si sk sl sm sn sr ss su sv sx sy sz tc td tf tg th"
    " tj tk tl tm tn tr tt tv tw tz ua ug uk uy uz va vc ve vg vi vn vu wf ws ye yt za zm zw"
)
_GENERIC = (
    "com net org edu gov mil int info biz xyz top site online shop store club vip live dev cloud"
    " tech link page click space website icu fun work world today news blog wiki pro mobi asia"
    " email agency digital network systems solutions services support host press run sh us ai app"
    " example test invalid onion local lan internal tel cat aero coop museum travel jobs bid win"
    " loan stream download party science trade review date racing cricket men gdn ren wang ink"
    " ltd group zone rocks ninja guru lol monster quest bond sbs bio art design studio media video"
    " photo google amazon microsoft apple youtube"
)
TLDS = frozenset(_COUNTRIES.split() + _GENERIC.split()) | FILE_TLDS
_CODE = "com net org cn io example ru xyz top info biz co dev"
CODE_TLDS = frozenset(_CODE.split())
"""In code a bare name counts only with one of these, three labels and no package order."""
