"""Why data do not fit the form that they should have, in words of ours.

The library that compares them has words of its own, which say nothing to whoever wrote the file.
"""

from __future__ import annotations

from pydantic import ValidationError
from pydantic_core import ErrorDetails

_WORDS = {
    "missing": "is missing",
    "extra_forbidden": "is not known here",
    "int_type": "is no whole number",
    "int_from_float": "is no whole number",
    "int_parsing": "is no whole number",
    "int_parsing_size": "is no whole number of a bearable size",
    "float_type": "is no number",
    "float_parsing": "is no number",
    "finite_number": "is no finite number",
    "bool_type": "is neither true nor false",
    "bool_parsing": "is neither true nor false",
    "string_type": "is no text",
    "string_unicode": "is no text",
    "string_too_short": "has fewer than {min_length} characters",
    "string_too_long": "has more than {max_length} characters",
    "string_pattern_mismatch": "is not of the form {pattern}",
    "bytes_type": "is no bytes",
    "bytes_too_short": "has fewer than {min_length} bytes",
    "bytes_too_long": "has more than {max_length} bytes",
    "list_type": "is no list",
    "tuple_type": "is no list",
    "too_short": "has fewer than {min_length} entries",
    "too_long": "has more than {max_length} entries",
    "dict_type": "is no table of names and values",
    "model_type": "is no table of names and values",
    "model_attributes_type": "is no table of names and values",
    "literal_error": "is not {expected}",
    "none_required": "is not empty",
    "greater_than": "is not above {gt}",
    "greater_than_equal": "is below {ge}",
    "less_than": "is not below {lt}",
    "less_than_equal": "is above {le}",
    "value_error": "is wrong: {error}",
    "union_tag_invalid": "is of no known kind",
    "union_tag_not_found": "does not say its kind",
    "json_invalid": "is no JSON",
}


def misfit_of(error: ValidationError) -> str:
    """The first thing that does not fit: where, and what about it. One line."""
    first = error.errors(include_url=False, include_input=False)[0]
    place = ".".join(str(part) for part in first["loc"])[:200]
    return f"{ascii(place)[1:-1] or 'it'} {words_of(first)}"


def words_of(problem: ErrorDetails) -> str:
    """What is wrong, to be read after the name of what is: never a word of the data themselves."""
    context = problem.get("ctx", {})
    return _WORDS.get(problem["type"], "does not fit").format(**context)
