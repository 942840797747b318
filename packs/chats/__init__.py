"""Chats and characters in: every format as one plain form, and taking it into a relationship."""
