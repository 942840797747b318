"""The keys of a store: one for each payload of a keyed store, and those that sign."""
