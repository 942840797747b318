"""Models propose, the kernel decides: what may be proposed, the rules, and what becomes of it."""
