"""Fixed mutations of core, each of which some test must notice: `make mutants`."""
