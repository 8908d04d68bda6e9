"""The library: what a channel's people gave it, kept, found, listed and removed."""

from __future__ import annotations

import asyncio
import logging
import shutil
import tempfile
import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from core.errors import KnowledgeError
from core.index.embed import Embedder, Vectors
from core.index.fulltext import Counts
from core.index.vectors import VectorSearch
from core.knowledge import listing as lists
from core.knowledge import search as finding
from core.knowledge import versions
from core.knowledge.blobs import BlobFolder
from core.knowledge.documents import (
    DocumentInfo,
    Evidence,
    Hit,
    Kb,
    PageText,
    Receipt,
    Removed,
    Stats,
)
from core.knowledge.embedding import Background
from core.knowledge.ingest import Ingest, Reads, Upload, unbroken
from core.knowledge.search import Index, Question
from core.knowledge.sentences import NEAR, Quote, best, windows
from core.store import Store, Transaction

log = logging.getLogger(__name__)

MAX_HITS = 100


class Library:
    """All documents of one store. KB ids come from `kbs(audience)`: what the caller may see.

    `blobs` is the folder of the uploaded bytes. Call `start` before use and `close` at the end.
    """

    def __init__(self, store: Store, parser: Reads, embedder: Embedder, blobs: Path) -> None:
        self._store = store
        self._embedder = embedder
        self._blobs = BlobFolder(blobs)
        self._index = Index(VectorSearch(embedder.model, embedder.dimension), Counts())
        self._background = Background(store, embedder, blobs.parent / "embedder.lock")
        self._ingest = Ingest(store, parser, self._blobs, self._background.wake)
        # Questions do not wait behind a batch of passages.
        self._questions = ThreadPoolExecutor(1, thread_name_prefix="embed-question")

    async def start(self) -> None:
        """Sweep what a kill left behind, check the embedder's model, begin to embed.

        Raises StoreError if the folder cannot be used.
        """
        await asyncio.to_thread(self._blobs.check)
        swept = await self._store.write(self._blobs.sweep)
        if swept:
            log.info("%d files of unfinished uploads were removed", swept)
        await self._background.start()

    async def close(self) -> None:
        """Stop embedding after the batch under way."""
        await self._background.close()
        await asyncio.to_thread(self._questions.shutdown, wait=True)

    async def embedded(self) -> None:
        """Wait until every passage has a vector."""
        await self._background.finished()

    async def kb_for(self, scope: str, name: str = "", owner: str = "") -> int:
        """The scope's KB of that name ('' is its own), made at need."""
        return await self._store.write(lambda tx: lists.kb_for(tx, scope, name, owner, time.time()))

    async def kbs(self, audience: Sequence[str]) -> list[Kb]:
        """Every KB of the scopes that an audience may see."""
        return await self._store.read(lambda tx: lists.kbs(tx, audience))

    async def ingest(
        self,
        kb: int,
        *,
        scope: str,
        owner: str,
        name: str,
        path: Path,
        link: str = "",
        key: str = "",
        asked_by: str = "",
    ) -> Receipt:
        """Take a file in; on return it is found by words, soon after by meaning.

        `key` names the run and its file: the same key again gives the receipt that was kept.
        Raises KnowledgeError if the KB is not of this scope, StoreError if the store refuses.
        """
        upload = Upload(kb, scope, owner, name, path, link, key, asked_by)
        return await self._ingest.take(upload)

    async def write(
        self,
        *,
        scope: str,
        owner: str,
        name: str,
        text: str,
        link: str = "",
        key: str = "",
        asked_by: str = "",
    ) -> Receipt:
        """Take a text in as a file of the scope's own KB; otherwise like `ingest`."""
        kb = await self.kb_for(scope)
        folder = await asyncio.to_thread(tempfile.mkdtemp)
        path = Path(folder) / "text.md"
        try:
            await asyncio.to_thread(path.write_text, text, "utf-8")
            upload = Upload(kb, scope, owner, name, path, link, key, asked_by)
            return await self._ingest.take(upload)
        finally:
            await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def search(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]:
        """The best passages by words and meaning, best first; any text is a query."""
        question = Question.of(query)
        if not kbs or not question.tokens:
            return []
        [meaning] = await self._meanings([question.text])
        return await self._store.read(
            lambda tx: finding.search(tx, self._index, kbs, question, meaning, min(limit, MAX_HITS))
        )

    async def words(self, kbs: Sequence[int], query: str, limit: int = 8) -> list[Hit]:
        """Passages that hold every word and "quoted phrase" of the query as written."""
        return await self._store.read(
            lambda tx: finding.words(tx, self._index, kbs, query, min(limit, MAX_HITS))
        )

    async def probe(self, kbs: Sequence[int], query: str) -> float:
        """How much of the question's telling words one passage holds, 0 to 1. No embedding."""
        return await self._store.read(lambda tx: finding.probe(tx, self._index, kbs, query))

    async def evidence(self, kbs: Sequence[int], query: str, hits: Sequence[Hit]) -> Evidence:
        """What the question's words weigh, and which of them each hit holds."""
        mine = set(kbs)
        if strangers := [hit.document for hit in hits if hit.passage >> 32 not in mine]:
            raise KnowledgeError(strangers[0], key="knowledge.no_document")
        found = await self._store.read(lambda tx: finding.evidence(tx, self._index, query, hits))
        return found.model_copy(update={"embedder": self._embedder.model})

    async def quotes(
        self, kbs: Sequence[int], query: str, hits: Sequence[Hit], limit: int = 3
    ) -> list[Quote]:
        """The sentences of the hits that answer the query best, best first."""
        weights = (await self.evidence(kbs, query, hits)).idf
        ranked = windows(query, hits, weights)[:NEAR]
        meant = await self._meanings([query, *(one.text for one in ranked)])
        near = (meant[1:] @ meant[0]).tolist()
        cosines = {one.text: near[at] for at, one in enumerate(ranked)}
        return best(ranked, cosines, limit)

    async def listing(self, kbs: Sequence[int], limit: int = 20) -> list[DocumentInfo]:
        """Documents of any state, latest first."""
        return await self._store.read(lambda tx: lists.listing(tx, kbs, limit))

    async def find_by_name(self, kbs: Sequence[int], name: str) -> list[DocumentInfo]:
        """Documents of this name, latest first; case and width do not count."""
        return await self._store.read(lambda tx: lists.find_by_name(tx, kbs, name))

    async def page(
        self, kbs: Sequence[int], document: str, page: int = 1, budget: int = 4_000
    ) -> PageText:
        """One page of a document, at most `budget` characters of it.

        Raises KnowledgeError if none of the KBs has the document.
        """
        return await self._store.read(lambda tx: lists.page(tx, kbs, document, page, budget))

    async def stats(self, kbs: Sequence[int]) -> Stats:
        """Documents, characters, passages, first and latest date."""
        return await self._store.read(lambda tx: lists.stats(tx, kbs))

    async def revisions(self, kbs: Sequence[int]) -> dict[int, int]:
        """The revision of each KB; whatever changes in one raises it."""
        return await self._store.read(lambda tx: lists.revisions(tx, kbs))

    async def delete(self, kbs: Sequence[int], document: str, by: str) -> Removed:
        """Remove a document with all its versions, words, vectors, bytes and receipts.

        Whether `by` may do so is the caller's to decide. Raises KnowledgeError if none of the
        KBs has the document.
        """
        removed, files = await unbroken(
            self._store.write(lambda tx: self._removed(tx, kbs, document))
        )
        for file in files:
            await asyncio.to_thread(self._blobs.erase, file)
        log.info("document %s removed by %s", document, by)
        return removed

    def _removed(
        self, tx: Transaction, kbs: Sequence[int], document: str
    ) -> tuple[Removed, list[str]]:
        for kb in kbs:
            if done := versions.remove(tx, kb, document, self._blobs):
                return done
        raise KnowledgeError(document, key="knowledge.no_document")

    async def _meanings(self, texts: Sequence[str]) -> Vectors:
        loop = asyncio.get_running_loop()
        return await loop.run_in_executor(self._questions, self._embedder.embed, texts)
