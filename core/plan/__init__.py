"""A plan: a graph of tool and sub-agent nodes, made by a model or by rules, then checked."""
