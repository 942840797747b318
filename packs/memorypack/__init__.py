"""One relationship as one file: what is in it, written, sealed, checked and taken in."""
