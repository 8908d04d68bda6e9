"""The answer cache, bound to versions of documents, rights and teammates."""

from core.cache.cache import AnswerCache, Kept, Slot
from core.cache.key import cacheable, key_of, normalised

__all__ = ["AnswerCache", "Kept", "Slot", "cacheable", "key_of", "normalised"]
