"""Hostile inputs against the product's own guards."""
