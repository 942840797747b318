"""Packs of the E.R.I.I. project: read and checked, judged, recorded, compared with what they say."""
