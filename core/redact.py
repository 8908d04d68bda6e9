"""Secrets out of text: for logs, traces, memory, the step table and anything that is posted.

`redact` knows the shapes of common credentials and, exactly, the secrets of our configuration
(`register`). It never raises, changes nothing else, and is idempotent.
"""

from __future__ import annotations

import base64
import json
import logging
import re
import time
import unicodedata
from collections.abc import Callable, Iterable
from urllib.parse import quote

MASK = "[redacted]"
SHORTEST = 6
"""Characters: shorter registered secrets would take ordinary words with them."""

START = r"(?<![A-Za-z0-9_-])"
"""A token begins where no word goes on: `task-force` holds no `sk-`."""

SHAPES = re.compile(
    START
    + "(?:"
    + "|".join(
        (
            r"xox[a-z](?:\.xox[a-z])?-[A-Za-z0-9-]{8,}",  # Slack
            r"xapp-[A-Za-z0-9-]{8,}",
            r"(?:sk|pk|rk|ak)-(?=[A-Za-z0-9_-]*\d)[A-Za-z0-9_-]{16,}",  # OpenAI and its like
            r"(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{8,}",  # Stripe
            r"whsec_[A-Za-z0-9]{16,}",
            r"[A-Za-z\d_-]{23,28}\.[A-Za-z\d_-]{6}\.[A-Za-z\d_-]{27,}",  # Discord bot
            r"mfa\.[A-Za-z\d_-]{60,}",
            r"(?:AKIA|ASIA|AIDA|AROA|AGPA|ANPA)[A-Z0-9]{16}(?![A-Z0-9])",  # AWS
            r"LTAI[A-Za-z0-9]{12,26}",  # Alibaba Cloud
            r"AKID[A-Za-z0-9]{13,40}",  # Tencent Cloud
            r"gh[pousr]_[A-Za-z0-9]{20,}",  # GitHub
            r"github_pat_[A-Za-z0-9_]{20,}",
            r"gl(?:pat|rt|dt|ptt|cbt)-[A-Za-z0-9_-]{16,}",  # GitLab
            r"AIza[A-Za-z0-9_-]{30,}",  # Google
            r"ya29\.[A-Za-z0-9_-]{20,}",
            r"hf_[A-Za-z0-9]{20,}",
            r"gsk_[A-Za-z0-9]{20,}",
            r"r8_[A-Za-z0-9]{30,}",
            r"npm_[A-Za-z0-9]{30,}",
            r"pypi-[A-Za-z0-9_-]{40,}",
            r"dop_v1_[a-f0-9]{40,}",
            r"SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}",  # SendGrid
            r"SK[a-f0-9]{32}(?![a-f0-9])",  # Twilio
            r"\d{8,10}:AA[A-Za-z0-9_-]{30,}",  # Telegram
            r"eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]*",  # JWT
        )
    )
    + ")"
)
PRIVATE_KEY = re.compile(
    r"-----BEGIN ([A-Z0-9 ]*PRIVATE KEY(?: BLOCK)?)-----"
    r"(?:.{0,8000}?-----END \1-----|[A-Za-z0-9+/=\s\\:,.()-]*)",
    re.S,
)
NOT_YET = r"(?!\s*\[redacted\])"
"""Masks are not masked again: `redact` is idempotent."""
SCHEME = r"(?:bearer|basic|bot|token|digest|apikey)"

HEADER = re.compile(
    rf"((?:proxy-)?authorization[\"']?\s*[:=：]\s*[\"']?(?:{SCHEME}\s+)?)"
    rf"{NOT_YET}(?!{SCHEME}\s)([^\s\"',;]{{4,}})",
    re.I,
)
COOKIE = re.compile(
    rf"((?:set-)?cookie[\"']?\s*[:：]\s*[\"']?){NOT_YET}([^\s\"'][^\r\n\"']{{3,}})", re.I
)
BEARER = re.compile(rf"\b(bearer\s+){NOT_YET}([A-Za-z0-9._~+/=-]{{16,}})", re.I)
WEBHOOK = re.compile(
    r"(https://(?:hooks\.slack\.com/(?:services|workflows|triggers)"
    rf"|discord(?:app)?\.com/api(?:/v\d+)?/webhooks)/){NOT_YET}([A-Za-z0-9/_-]+)",
    re.I,
)
USERINFO = re.compile(
    rf"\b([a-z][a-z0-9+.-]{{1,30}}://[^\s:/@?#]{{0,200}}:){NOT_YET}([^\s/?#\"'<>]{{1,500}})(?=@)",
    re.I,
)
DATABASE = re.compile(
    r"\b((?:postgres(?:ql)?|mysql|mariadb|rediss?|mongodb|amqps?|mssql|clickhouse|oracle)"
    rf"(?:\+[a-z0-9]+)?://[^\s:/@]{{0,200}}:){NOT_YET}(\S{{1,500}})(?=@)",
    re.I,
)
LONE_USER = re.compile(r"\b(https?://)([A-Za-z0-9_.-]{16,})(?=@[a-z0-9])", re.I)
PARAMETER = re.compile(
    r"([?&#;](?:[\w-]*(?:token|secret|password|passwd|pwd|apikey|api[_-]key|signature|credential)"
    rf"|auth|sig|jwt|session(?:id)?)=){NOT_YET}([^\s&#\"'<>]+)",
    re.I,
)
KEY_PARAMETER = re.compile(rf"([?&](?:key|code)=){NOT_YET}([^\s&#\"'<>]{{16,}})", re.I)
MY_KEY = re.compile(rf"\b(my (?:[a-z]+ )?key (?:is|=|:)\s*[\"'`]?){NOT_YET}([!-~]{{12,}})", re.I)

WORD = (
    r"(?:pass(?:word|wd|phrase|code)|pwd|secret(?:[_ -]?(?:access[_ -]?)?key)?"
    r"|(?:api|access|private|auth|account|signing|encryption|client)[_ -]?(?:key|secret|token)"
    r"|token|credentials?)"
)
WORD_ZH = r"(?:密码|口令|密钥|秘钥|令牌|私钥|授权码|访问凭证|凭证)"
SIGN = r"(?:=>|->|[=:：＝]|\bis\b|\bwas\b|是|为|改为|改成|變成)"
NAMED = re.compile(
    rf"((?:{WORD}|{WORD_ZH})[\"'`*]{{0,3}}[ \t]*({SIGN})[ \t]*[\"'`]?)"
    rf"{NOT_YET}([!-~]{{4,500}})",
    re.I,
)
"""A word for a secret, a sign or verb, and a value in one piece."""
NAMED_ZH = re.compile(rf"({WORD_ZH}( )?){NOT_YET}([!-~]{{4,500}})")
"""Chinese needs no sign: 令牌 abc123xyz."""

VALUE_END = re.compile(r"[\"'`,;)\]}>]")
PLACEHOLDER = re.compile(r"[<$*{%\[(]|\.\.\.|x{4,}$|(?:your|my|the|some)[_-]", re.I)
CODE = re.compile(r"[A-Za-z_][\w.]*[([]|[A-Za-z_]\w*(?:\.[A-Za-z_]\w*)+$")
VERSION = re.compile(r"v?\d+(?:\.\d+)+[\w.+-]{0,12}", re.I)
PLAIN_WORDS = {
    "string", "required", "optional", "hidden", "password", "secret", "token", "null", "none",
    "false", "true", "undefined", "default", "field", "value", "missing", "invalid", "expired",
    "wrong", "empty", "text", "input", "bytes", "expires", "mask", "masked", "redacted",
}  # fmt: skip
INVISIBLE = re.compile("[\u00ad\u200b-\u200f\u202a-\u202e\u2060-\u2064\ufeff\U000e0000-\U000e007f]")

CARD = re.compile(r"(?<![\w.-])(?:\d[ -]?){12,18}\d(?![\w-]|\.\d)")
IDENTITY = re.compile(
    r"(?<![\dA-Za-z])[1-9]\d{5}(?:19|20)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])\d{3}[\dXx]"
    r"(?![\dA-Za-z])"  # a Chinese citizen
    r"|(?<![\d-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\d-])"  # a US citizen
)
NUMBER_WORD = (
    r"(?:\bPIN\b(?: code)?|\bcvv2?\b|\bcvc\b|\bssn\b"
    r"|\bsocial security(?: number)?|\bpassport(?: (?:no|number))?"
    r"|\b(?:credit |debit |bank )?card (?:no|number)|\b(?:bank )?account (?:no|number)|\biban\b"
    r"|\b(?:driving|driver'?s) licen[cs]e(?: (?:no|number))?"
    r"|\b(?:otp|2fa|verification|one[- ]time) code"
    r"|身份证(?:号码?)?|(?:银行|信用|储蓄)?卡号|银行卡|信用卡|银行账号"
    r"|护照(?:号码?)?|社保号|驾照(?:号码?)?"
    r"|(?:短信)?验证码|支付密码|取款密码|安全码|门禁码|开机密码|(?:wifi|WiFi|Wi-Fi)\s?密码)"
)
NUMBERED = re.compile(
    rf"({NUMBER_WORD}[\"'`*]{{0,3}}[ \t]*(?:[=:：＝#]|\bis\b|是|为|号)?[ \t]*[\"'`]?){NOT_YET}"
    r"((?=[A-Za-z0-9 -]*\d)[A-Za-z0-9](?:[A-Za-z0-9]|[ -](?=\d)){2,33})",
    re.I,
)
"""Numbers that let others act in a person's name, after the word for them."""

GROUPED = (
    HEADER, COOKIE, BEARER, WEBHOOK, DATABASE, USERINFO, LONE_USER, PARAMETER, KEY_PARAMETER,
    MY_KEY,
)  # fmt: skip


class Redactor:
    """Known shapes, and the exact secrets that were registered."""

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        self._exact: re.Pattern[str] | None = None
        self._forms: set[str] = set()
        self.register(*secrets)

    def register(self, *secrets: str) -> None:
        """Hide these wherever they appear, also percent-encoded, in base64 or in hex."""
        for secret in secrets:
            if len(secret) >= SHORTEST:
                self._forms |= forms(secret)
        if self._forms:
            longest_first = sorted(self._forms, key=len, reverse=True)
            self._exact = re.compile("|".join(re.escape(form) for form in longest_first))

    def redact(self, text: str, *, spoken: bool = True) -> str:
        """`text` with every secret masked. Where a secret was broken up by invisible or
        full-width characters, the text comes back without those.

        Without `spoken`, what only a word makes a secret stays (`password: abc123`): an answer
        may quote the guest network's password to those who may read the document.
        """
        found = self._mask(text, spoken)
        if text.isascii():
            return found
        plain = unicodedata.normalize("NFKC", INVISIBLE.sub("", found))
        masked = self._mask(plain, spoken)
        return found if masked == plain else masked

    def _mask(self, text: str, spoken: bool) -> str:
        # Masking one thing may let another begin where it could not before.
        for _ in range(4):
            before = text
            text = self._once(text, spoken)
            if text == before:
                break
        return text

    def _once(self, text: str, spoken: bool) -> str:
        if self._exact is not None:
            text = self._exact.sub(MASK, text)
        text = PRIVATE_KEY.sub(MASK, text)
        for pattern in GROUPED:
            text = pattern.sub(keep_first, text)
        text = SHAPES.sub(MASK, text)
        if not spoken:
            return text
        text = NUMBERED.sub(keep_first, IDENTITY.sub(MASK, CARD.sub(card, text)))
        return NAMED_ZH.sub(named, NAMED.sub(named, text))


def forms(secret: str) -> set[str]:
    raw = secret.encode("utf-8", "replace")
    coded = base64.b64encode(raw).decode()
    return {secret, quote(secret, safe=""), coded.rstrip("="), raw.hex(), raw.hex().upper()}


def keep_first(found: re.Match[str]) -> str:
    return found.group(1) + MASK


def card(found: re.Match[str]) -> str:
    """Mask a card's number: its last digit is a check over the others (ISO/IEC 7812, Luhn)."""
    digits = [int(char) for char in found.group() if char.isdigit()]
    doubled = (sum(divmod(2 * digit, 10)) for digit in digits[-2::-2])
    grouped = " " in found.group() or "-" in found.group() or digits[0] in (3, 4, 5, 6)
    return MASK if grouped and (sum(digits[::-2]) + sum(doubled)) % 10 == 0 else found.group()


def named(found: re.Match[str]) -> str:
    """Mask the value after a word for a secret, if it looks like one and not like prose or code."""
    lead, sign, rest = found.groups()
    end = VALUE_END.search(rest)
    value = rest[: end.start()] if end else rest
    tail = rest[len(value) :]
    kept = value.rstrip(".!?:")
    tail = value[len(kept) :] + tail
    if not secret_like(kept, sign):
        return found.group()
    return lead + MASK + tail


def secret_like(value: str, sign: str) -> bool:
    if len(value) < 4 or PLACEHOLDER.match(value) or value.lower() in PLAIN_WORDS:
        return False
    if MASK in value or value.startswith(("//", "/", "=")):
        return False
    if VERSION.fullmatch(value):
        return False
    if CODE.match(value) and not re.search(r"\d", value):
        return False
    digits = any(char.isdigit() for char in value)
    letters = any(char.isalpha() for char in value)
    if sign in ("=", "＝", "=>", "->"):
        return len(value) >= SHORTEST and letters
    symbols = any(char in "!@#$%^&*+~?" for char in value[:-1])
    return len(value) >= SHORTEST and letters and (digits or symbols)


_ours = Redactor()
redact: Callable[[str], str] = _ours.redact
register: Callable[..., None] = _ours.register


def without_credentials(text: str) -> str:
    """`text` without tokens and keys by their shape, and without our own secrets; for posts."""
    return _ours.redact(text, spoken=False)


ANSI = re.compile(
    "\x1b\\[[0-?]*[ -/]*[@-~]|\x1b\\][^\x07\x1b]*(?:\x07|\x1b\\\\)?|\x1b[PX^_].*?\x1b\\\\"
    "|\x1b[@-_]?"
    "|\x9b[0-?]*[ -/]*[@-~]",
    re.S,
)
CONTROL = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200b-\u200f\u2028-\u202e\u2060-\u2069\ufeff\ud800-\udfff"
    "\U000e0000-\U000e007f]"
)
MAX_MESSAGE = 16_000
"""Characters: a log is no store; what is longer is cut and says so."""

MARGIN = 1000

OWN = set(vars(logging.makeLogRecord({}))) | {"message", "asctime", "taskName", "color_message"}
"""Fields that every record has; others came with `extra`."""


def plain(text: str) -> str:
    """`text` without secrets and without anything that moves a cursor or starts a new line."""
    whole = len(text)
    # Some more than is shown: a secret at the cut must still be whole to be seen.
    text = ANSI.sub("", text[: MAX_MESSAGE + MARGIN])
    text = text.replace("\r\n", "\n").replace("\r", "\n")
    text = redact(CONTROL.sub("", text))
    if whole > MAX_MESSAGE + MARGIN or len(text) > MAX_MESSAGE:
        return f"{text[:MAX_MESSAGE]}… ({whole} characters)"
    return text


class Redaction(logging.Filter):
    """Cleans each record before any formatter sees it; put it on handlers, not on loggers.

    `secrets` are registered: they are hidden from then on, here and by `redact`.
    """

    def __init__(self, secrets: Iterable[str] = ()) -> None:
        super().__init__()
        register(*secrets)

    def filter(self, record: logging.LogRecord) -> bool:
        record.msg = plain(message_of(record)).replace("\n", "\\n")
        record.args = ()
        if record.exc_info and not record.exc_text:
            record.exc_text = logging.Formatter().formatException(record.exc_info)
        if record.exc_text:
            record.exc_text = plain(record.exc_text)
        # Formatters would write it again, uncleaned, from the exception itself.
        record.exc_info = None
        if record.stack_info:
            record.stack_info = plain(record.stack_info)
        for name in set(vars(record)) - OWN:
            value = getattr(record, name)
            if not isinstance(value, int | float | bool | None):
                setattr(record, name, plain(str(value)).replace("\n", "\\n"))
        return True


def message_of(record: logging.LogRecord) -> str:
    """The message; a record whose arguments do not fit its text is still a record."""
    try:
        return record.getMessage()
    except (TypeError, ValueError, KeyError, IndexError):
        return f"{record.msg} {record.args!r}"


class JsonLines(logging.Formatter):
    """One JSON object a line: time, level, logger, message, error, and what came with `extra`."""

    def format(self, record: logging.LogRecord) -> str:
        line: dict[str, object] = {
            "time": time.strftime("%Y-%m-%dT%H:%M:%S", time.gmtime(record.created))
            + f".{int(record.msecs):03d}Z",
            "level": record.levelname.lower(),
            "logger": record.name,
            "message": message_of(record),
        }
        if record.exc_text:
            line["error"] = record.exc_text
        line |= {name: vars(record)[name] for name in sorted(set(vars(record)) - OWN)}
        return json.dumps(line, ensure_ascii=False, default=str)
