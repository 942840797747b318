"""The bundled proposer, which needs no model: word and pattern tables for English and Chinese."""
