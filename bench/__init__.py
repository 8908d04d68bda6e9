"""Every measurement: `python -m bench.NAME`."""

# Limits the threads of linear algebra, which has to happen before any bench loads numpy.
import core.index  # noqa: F401
