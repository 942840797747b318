"""Payload bytes against their types, each in one compiled step.

What passes is canonical and of its type. What does not may still be so: the models of
`kernel.events` have the last word, and say what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache
from types import NoneType, UnionType
from typing import Any, Literal, Union, cast, get_args, get_origin

import msgspec
from pydantic import BaseModel

from enishi.kernel.encoding import NOT_FITTING, decode_payload, encode_payload
from enishi.kernel.errors import InvalidInput, LogDamaged
from enishi.kernel.events import EVENT_TYPES

_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_PLAIN = frozenset({str, int, bool, bytes, NoneType})


def fits(type_name: str, version: int, payload: bytes) -> bool:
    """Whether a payload is canonical and of the newest version of its type, as a quick look tells."""
    shape = _shape(type_name)
    if shape is None or version != EVENT_TYPES[type_name].version:
        return False
    decode, closed = shape
    try:
        value = decode(payload)
        # Of a map that may hold anything, the shape does not tell what it holds.
        return payload == (_encode(value) if closed else encode_payload(decode_payload(payload)))
    except (*NOT_FITTING, InvalidInput, LogDamaged):
        return False


@cache
def _shape(type_name: str) -> tuple[Callable[[bytes], Any], bool] | None:
    """What decodes payloads of a type, and whether it knows all that is within; None for a type
    that is unknown, or whose model asks for more than kinds of values.
    """
    known = EVENT_TYPES.get(type_name)
    if known is None:
        return None
    try:
        struct = _struct(known.model)
    except NotImplementedError:
        return None
    closed = not any("Any" in str(field.annotation) for field in known.model.model_fields.values())
    return msgspec.msgpack.Decoder(struct).decode, closed


def _struct(model: type[BaseModel]) -> type[msgspec.Struct]:
    """A model as a struct: fields in canonical order, those at their defaults left out."""
    decorators = model.__pydantic_decorators__
    if decorators.field_validators or decorators.model_validators or decorators.validators:
        raise NotImplementedError(model)
    fields = []
    for name, info in sorted(model.model_fields.items()):
        if info.metadata:
            raise NotImplementedError(name)
        kind = _kind(info.annotation)
        if info.is_required():
            fields.append((name, kind, msgspec.field()))
        elif info.default_factory is not None:
            factory = cast(Callable[[], Any], info.default_factory)
            fields.append((name, kind, msgspec.field(default_factory=factory)))
        else:
            fields.append((name, kind, msgspec.field(default=info.default)))
    return msgspec.defstruct(
        model.__name__, fields, kw_only=True, forbid_unknown_fields=True, omit_defaults=True
    )


def _kind(annotation: Any) -> Any:
    """An annotation of a model's field as one of a struct's."""
    if annotation in _PLAIN or annotation is Any:
        return annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _struct(annotation)
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return annotation
    if origin in (Union, UnionType):
        return Union[tuple(map(_kind, inner))]  # noqa: UP007 - made from a tuple
    if origin is list:
        return list[_kind(inner[0])]  # type: ignore[misc]
    if origin is dict and inner[0] is str:
        return dict[str, _kind(inner[1])]  # type: ignore[misc]
    raise NotImplementedError(annotation)
