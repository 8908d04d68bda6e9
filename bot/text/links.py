"""Links: those to allowed hosts stay, all others are shown as code that nobody can click.

Every form that a chat client may turn into a link is looked for: Markdown links, images and
definitions, autolinks, Slack's `<url|label>`, HTML tags, bare URLs of any scheme, `www.` and bare
domains. Images never stay: a client fetches them without a click.
"""

from __future__ import annotations

import re
from collections.abc import Iterator

from bot.text.hosts import Allowed, defanged
from bot.text.regions import CodeMap
from bot.text.shadow import Edit, Shadow, shadow
from bot.text.tlds import CODE_TLDS, FILE_TLDS, TLDS

_STOP = (
    r"\s<>\"`|、，。！？；：（）「」『』【】《》“”‘’…"
    r"\u3400-\u9fff\uf900-\ufaff\u3040-\u30ff\uac00-\ud7af"
)
_TAIL = rf"[^{_STOP}]"
_SCHEMED = re.compile(
    rf"(?:(?<![a-z0-9+.\-])[a-z0-9+.\-]*:[/\\]{{2,}}{_TAIL}*"
    rf"|(?<![a-z0-9+.\-])(?:https?|ftp|wss?):[/\\]?(?=[\w\[]){_TAIL}+"
    rf"|(?<![a-z0-9+.\-])(?:javascript|vbscript|data|file|blob|view-source|mailto|tel|sms|slack"
    rf"|discord|skype|intent)\s*:(?=\S){_TAIL}+)",
    re.I,
)
_LABEL = r"[A-Za-z0-9_\u00a1-\u02ff\u0370-\u058f-]"
_BARE = re.compile(
    rf"(?<!{_LABEL})(?<![.@\\])(?:(?<!/)|(?<=[^\w/:.]//)|(?<=\A//)|(?<=:/))"
    rf"(?:{_LABEL}+@)?(?:{_LABEL}{{1,63}}\.)+(?P<tld>[A-Za-z][A-Za-z0-9-]{{1,62}})(?!{_LABEL})"
    rf"\.?(?P<port>:\d{{1,5}}(?!\d))?(?P<rest>[/?#\\]{_TAIL}*)?",
)
_INNER = r"(?:[^\[\]]|\[[^\[\]]*\])*"
_INLINE = re.compile(
    rf"(?P<image>!?)\[(?P<label>{_INNER})\]\((?P<dest>(?:[^()\n]|\([^()\n]*\))*)\)"
)
_DANGLING = re.compile(r"\]\((?P<dest>[^)\n]*)\)?")
_IMAGE_REF = re.compile(rf"!\[(?P<label>{_INNER})\](?:\[(?P<ref>[^\[\]\n]*)\])?")
_DEFINITION = re.compile(
    r"^(?P<lead>[ \t>]*)\[(?P<name>[^\[\]\n]+)\]:[ \t]*\n?[ \t]*(?P<dest>\S+)[^\n]*", re.M
)
_ANGLE = re.compile(
    r"<(?P<url>[a-zA-Z][a-zA-Z0-9+.\-]*:[^<>|\n]*|/[^<>|\n]*)(?:\|(?P<label>[^<>\n]*))?>"
)
_HARMLESS_DEST = re.compile(r"[\w\s,'\"=+*-]*")
_EMAIL = re.compile(r"[\w.+-]+@(?:[\w-]+\.)+[A-Za-z]{2,}")
_TRAILING = ".,;:!?'\"*_~"


_NAMED = re.compile(r"(?:[\w-]+\.)+[\w-]+(?::\d{1,5})?|(?<=//)[\w-]+(?::\d{1,5})?")


def hosts_in(text: str) -> tuple[str, ...]:
    """Hosts that a person's own words name, for `Draft.hosts`."""
    return tuple(dict.fromkeys(host.casefold() for host in _NAMED.findall(shadow(text).text)))


class Links:
    """Finds the edits that disarm the links of one text."""

    def __init__(self, read: Shadow, code: CodeMap, allowed: Allowed) -> None:
        self._read, self._code, self._allowed = read, code, allowed

    def marked(self) -> list[Edit]:
        """Edits for links, images and definitions in Markdown and Slack form, outside code."""
        return [edit for edit in self._marked() if self._in_prose(edit)]

    def plain(self) -> list[Edit]:
        """Edits for bare URLs and domains, in prose and in code."""
        return [*self._schemed(), *self._bare()]

    def _marked(self) -> Iterator[Edit]:
        text = self._read.text
        for found in _INLINE.finditer(text):
            dest, _, title = found["dest"].strip().partition(" ")
            if found["image"] or not self._may(dest) or self._names_others(title):
                yield self._edit(found, self._shown(found["label"], dest))
        for found in _DANGLING.finditer(text):
            if not self._may(found["dest"].strip().partition(" ")[0]):
                yield self._edit(found, "] " + self._shown("", found["dest"].strip()))
        named = {found["name"].casefold() for found in _DEFINITION.finditer(text)}
        for found in _IMAGE_REF.finditer(text):
            # Alone it is code in prose, as Rust's `vec![1]`; with a definition it is an image.
            if found["ref"] is None and found["label"].casefold() not in named:
                continue
            yield self._edit(found, found["label"] or found["ref"] or "")
        for found in _DEFINITION.finditer(text):
            if not self._may(found["dest"]):
                yield self._edit(
                    found, f"{found['lead']}{found['name']}: {self._shown('', found['dest'])}"
                )
        for found in _ANGLE.finditer(text):
            if not self._may(found["url"]):
                yield self._edit(found, self._shown(found["label"] or "", found["url"]))

    def _schemed(self) -> Iterator[Edit]:
        text = self._read.text
        for found in _SCHEMED.finditer(text):
            url, after = _trimmed(found.group()), text[found.end() : found.end() + 2]
            if _is_only_scheme(url, after) or _is_plain_word(url):
                continue
            if self._allowed.link(url) and not _runs_on(url, found.group(), after):
                continue
            yield self._code_edit(found.start(), found.start() + len(url), defanged(url))

    def _bare(self) -> Iterator[Edit]:
        for found in _BARE.finditer(self._read.text):
            whole = _trimmed(found.group())
            if "://" in whole or not self._is_domain(found, whole):
                continue
            if self._allowed.link(f"https://{whole}"):
                continue
            yield self._code_edit(found.start(), found.start() + len(whole), defanged(whole))

    def _is_domain(self, found: re.Match[str], whole: str) -> bool:
        """True if clients may make a link of a dotted name: not a file, a version or code."""
        tld = found["tld"].casefold()
        labels = whole.casefold().split(".")
        led_on = bool(found["rest"] or found["port"])
        if "@" in whole and not found["rest"]:
            return False
        if labels[0] == "www" and len(labels) > 2 or tld.startswith("xn--"):
            return True
        if tld in FILE_TLDS:
            return bool(found["rest"] and found["rest"][0] == "/" and len(found["rest"]) > 1)
        if self._code.at(self._read.original(found.start())) is None or led_on:
            return tld in TLDS
        return tld in CODE_TLDS and len(labels) > 2 and labels[0] not in TLDS

    def _may(self, dest: str) -> bool:
        """True for an allowed address, and for a word that is no address at all."""
        dest = dest.strip("<>")
        return self._allowed.link(dest) or bool(_HARMLESS_DEST.fullmatch(dest))

    def _names_others(self, title: str) -> bool:
        return bool(re.search(r"[\[\]<>]|://", title))

    def _shown(self, label: str, dest: str) -> str:
        address = defanged(dest.strip("<>")).replace("`", "")
        scheme = dest.partition(":")[0].casefold()
        if scheme not in ("http", "https", "ftp") and "//" not in dest:
            address = "" if label else address[:80]
        if label.strip() and address and not _SCHEMED.search(label):
            return f"{label} (`{address}`)"
        return label.strip() or (f"`{address}`" if address else "")

    def _in_prose(self, edit: Edit) -> bool:
        return self._code.at(edit.start) is None

    def _edit(self, found: re.Match[str], text: str) -> Edit:
        return Edit(self._read.original(found.start()), self._read.original(found.end()), text)

    def _code_edit(self, start: int, end: int, shown: str) -> Edit:
        first, last = self._read.original(start), self._read.original(end)
        bare = self._code.at(first) is not None or not shown
        return Edit(first, last, shown if bare else f"`{shown}`")


def _trimmed(url: str) -> str:
    """`url` without the punctuation of the sentence around it, an unpaired `)` among it."""
    while url and (url[-1] in _TRAILING or _unpaired(url)) and not url.endswith("://"):
        url = url[:-1]
    return url


def _unpaired(url: str) -> bool:
    opening = {")": "(", "]": "[", "}": "{"}.get(url[-1])
    return opening is not None and url.count(url[-1]) > url.count(opening)


def _is_only_scheme(url: str, after: str) -> bool:
    """`https://` alone, spoken about; with a letter behind it, it is the start of an address."""
    return bool(re.fullmatch(r"[A-Za-z0-9+.\-]*:[/\\]*", url)) and not after[:1].isalnum()


def _is_plain_word(url: str) -> bool:
    """`data:5`, `tel:123`, `mailto:a@b.c`, `file:x`: no client opens these, or only a letter."""
    scheme, _, rest = url.partition(":")
    match scheme.casefold():
        case "data":
            return not re.match(r"\s*[\w.+-]*[/,;]", rest)
        case "mailto":
            return bool(_EMAIL.fullmatch(rest))
        case "file" | "blob" | "slack" | "discord" | "tel" | "sms" | "skype" | "intent":
            return not rest.startswith(("/", "\\"))
        case _:
            return False


def _runs_on(url: str, matched: str, after: str) -> bool:
    """True if some client may read on in the host: `docs.example.com。evil.example`."""
    if re.search(r"[/?#]", url.partition("://")[2]):
        return False
    if matched.endswith(".") and after[:1].isalnum():
        return True
    return len(after) == 2 and after[0] in "。｡" and after[1].isascii() and after[1].isalnum()
