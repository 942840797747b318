"""Payload bytes against their types, many in one compiled step.

What passes is canonical and of its type. What does not may still be so: the models of
`kernel.events` have the last word, and say what is wrong.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import asdict, is_dataclass
from functools import cache
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, cast, get_args, get_origin

import msgspec
from pydantic import BaseModel

from enishi.kernel.encoding import NOT_FITTING, as_array
from enishi.kernel.events import EVENT_TYPES

_encode = msgspec.msgpack.Encoder(order="deterministic").encode
_PLAIN = frozenset({str, int, bool, bytes, NoneType})

_FIELDS = 15
"""A struct of more is written with a longer head than its map needs where some are left out."""

_DEEP = 4
"""So deep goes what a map that may hold anything mostly holds."""


def _anything(levels: int) -> Any:
    scalars = None | bool | int | str
    if not levels:
        return scalars
    inner = _anything(levels - 1)
    return scalars | list[inner] | dict[str, inner]  # type: ignore[valid-type]


_ANYTHING = _anything(_DEEP)
"""What has one encoding. A compiled type is not for bytes beside text, nor for any depth: maps with
such are looked at one by one.
"""


def all_fit(type_name: str, version: int, payloads: list[bytes]) -> bool:
    """Whether each of these is canonical and of the newest version of its type, as a quick look
    tells.
    """
    struct = _struct_of(type_name)
    if struct is None or version != EVENT_TYPES[type_name].version:
        return False
    joined = as_array(payloads)
    try:
        values = _decoder(struct)(joined)
        if len(struct.__struct_fields__) > _FIELDS:
            values = _decoder(dict[str, Any])(joined)
        return list(map(_encode, values)) == payloads
    except NOT_FITTING:
        return False


@cache
def _decoder(kind: Any) -> Callable[[bytes], list[Any]]:
    """What decodes an array of values of a kind."""
    return msgspec.msgpack.Decoder(list[kind]).decode


@cache
def _struct_of(type_name: str) -> type[msgspec.Struct] | None:
    """The struct of a type; None for one that is unknown, or whose model asks for more than kinds
    of values and their ranges.
    """
    known = EVENT_TYPES.get(type_name)
    if known is None:
        return None
    try:
        return _struct(known.model)
    except NotImplementedError:
        return None


def _struct(model: type[BaseModel]) -> type[msgspec.Struct]:
    """A model as a struct: fields in canonical order, those at their defaults left out."""
    decorators = model.__pydantic_decorators__
    if decorators.field_validators or decorators.model_validators or decorators.validators:
        raise NotImplementedError(model)
    fields = []
    for name, info in sorted(model.model_fields.items()):
        kind = _kind(info.annotation, info.metadata)
        if info.is_required():
            fields.append((name, kind, msgspec.field()))
        elif info.default_factory is not None:
            factory = cast(Callable[[], Any], info.default_factory)
            fields.append((name, kind, msgspec.field(default_factory=factory)))
        else:
            fields.append((name, kind, msgspec.field(default=info.default)))
    return msgspec.defstruct(
        model.__name__,
        fields,
        kw_only=True,
        forbid_unknown_fields=True,
        omit_defaults=True,
        gc=False,
    )


def _kind(annotation: Any, limits: Sequence[Any] = ()) -> Any:
    """An annotation of a model's field as one of a struct's; `limits` are those of its integer."""
    if annotation is Any:
        return _ANYTHING
    if annotation is int and limits:
        return Annotated[int, msgspec.Meta(**_range(limits))]
    if annotation in _PLAIN:
        return annotation
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return _struct(annotation)
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Literal:
        return annotation
    if origin in (Union, UnionType):
        kinds = tuple([_kind(one, limits) for one in inner])
        return Union[kinds]  # noqa: UP007 - made from a tuple
    if origin is list:
        return list[_kind(inner[0])]  # type: ignore[misc]
    if origin is dict and inner[0] is str:
        return dict[str, _kind(inner[1])]  # type: ignore[misc]
    raise NotImplementedError(annotation)


def _range(limits: Sequence[Any]) -> dict[str, Any]:
    found: dict[str, Any] = {}
    for limit in limits:
        bounds = asdict(limit) if is_dataclass(limit) and not isinstance(limit, type) else {}
        if not bounds or not bounds.keys() <= {"ge", "le"}:
            raise NotImplementedError(limit)
        found |= bounds
    return found
