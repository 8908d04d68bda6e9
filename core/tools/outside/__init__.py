"""The services of the outside that built-in tools use; each is built once, from the config."""
