"""Tokens, vectors, words: what knowledge, memory and tool choice are found by."""

import os

# Before numpy is loaded: one short vector at a time gains nothing from more threads, and each
# of them costs memory and makes the event loop's thread wait.
os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")
os.environ.setdefault("OMP_NUM_THREADS", "1")
