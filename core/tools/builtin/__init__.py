"""The tools that ship: read-only, one axis each."""

from __future__ import annotations

from core.tools.builtin.clock import get_time
from core.tools.builtin.documents import get_document, knowledge_stats, latest_documents
from core.tools.builtin.search import search_documents, semantic_search
from core.tools.toolbox import Toolbox

BUILTIN = Toolbox(
    {
        "semantic_search": semantic_search,
        "search_documents": search_documents,
        "get_document": get_document,
        "latest_documents": latest_documents,
        "knowledge_stats": knowledge_stats,
        "get_time": get_time,
    }
)
