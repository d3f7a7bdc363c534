"""Scenario files: what a dealer physically does, and what the table must say."""
