"""A pytest plugin: properties end at their first failure, and draw the same examples each time."""

from hypothesis import Phase, settings

settings.register_profile(
    "mutants", derandomize=True, database=None, phases=[Phase.explicit, Phase.generate]
)
settings.load_profile("mutants")
