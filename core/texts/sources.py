"""Words of the sources footer."""

TEXTS: dict[str, tuple[str, str]] = {
    "sources.page": ("第 {page} 页", "p. {page}"),
    "sources.version": ("第 {version} 版", "v{version}"),
}
