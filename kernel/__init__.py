"""The log, what stands on a branch, and how proposals become events. Knows no projection."""
