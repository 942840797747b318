"""Recall: what to remember now, why, and what was left out."""
