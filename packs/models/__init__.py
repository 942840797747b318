"""Models behind a border: proposers, embedders, and clients that remember."""
