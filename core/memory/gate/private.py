"""Secrets in what a person says: such a clause is never kept, whatever else it says."""

import re

from core.redact import MASK, redact

_SPOKEN = re.compile(
    r"\b(?:password|passcode|passphrase|pwd?|api[- ]?key|secret key|access key|private key|token|login|pin|otp|cvv"
    r"|credentials?)\b[^.!?]{0,24}?[A-Za-z0-9!@#$%^&*_+-]*\d[A-Za-z0-9!@#$%^&*_+-]{2,}"
    r"|(?:密码|口令|密钥|秘钥|令牌|验证码|卡号|身份证|护照|账号)[^，。]{0,8}[A-Za-z0-9!@#$%^&*_+-]*\d[A-Za-z0-9!@#$%^&*_+-]{2,}",
    re.I,
)
"""Looser than redaction may be: a memory that is not made is no loss, a secret that is kept is."""


def is_private(text: str) -> bool:
    """True if `text` holds a key, a password, a card or an identity number, masked or not."""
    return MASK in text or redact(text) != text or _SPOKEN.search(text) is not None
