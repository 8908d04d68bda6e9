"""The tools that ship, one axis each. Those with effects work only where a channel allows them."""

from __future__ import annotations

from core.tools.builtin.ask import ask_person
from core.tools.builtin.clock import get_time
from core.tools.builtin.conversation import read_thread, search_conversation
from core.tools.builtin.documents import get_document, knowledge_stats, latest_documents
from core.tools.builtin.mail import send_email
from core.tools.builtin.search import search_documents, semantic_search
from core.tools.builtin.weather import get_weather
from core.tools.builtin.web import search_web
from core.tools.builtin.write import write_document
from core.tools.toolbox import Toolbox

BUILTIN = Toolbox(
    {
        "semantic_search": semantic_search,
        "search_documents": search_documents,
        "get_document": get_document,
        "latest_documents": latest_documents,
        "knowledge_stats": knowledge_stats,
        "read_thread": read_thread,
        "search_conversation": search_conversation,
        "get_time": get_time,
        "get_weather": get_weather,
        "search_web": search_web,
        "ask_person": ask_person,
        "write_document": write_document,
        "send_email": send_email,
    }
)
"""Of the process: take a `copy` before anything is registered."""
