"""2^(-x) over whole numbers, equal on every machine.

The exponent is cut to 16 binary places, so a power is too large by at most 2^(2^-16) - 1, about
1.06 parts in 100,000, and by a few parts in 2^32 for rounding: for a value of 10,000 in fixed point
that is 0.11 at most.
"""

from __future__ import annotations

from functools import lru_cache
from math import isqrt

POWER_BITS = 32
WHOLE = 1 << POWER_BITS
"""1 as `halved` gives it."""

_ROOT_BITS = 64
_PLACES = 16


@lru_cache(maxsize=256)
def halved(elapsed: int, half_life: int) -> int:
    """What is left of WHOLE after `elapsed`, at least 0, where `half_life` halves it.

    Both are in one unit, whichever.
    """
    halvings, rest = divmod(elapsed, half_life)
    if halvings > POWER_BITS:
        return 0
    coarse, fine = divmod((rest << _PLACES) // half_life, 256)
    return _COARSE[coarse] * _FINE[fine] >> (POWER_BITS + halvings)


def _tables() -> tuple[tuple[int, ...], tuple[int, ...]]:
    """2^(-n/256) and 2^(-n/65536) for n below 256, by whole square roots."""
    one = 1 << _ROOT_BITS
    roots = [isqrt(one << (_ROOT_BITS - 1))]  # 2^(-1/2), then the root of that, and so on
    for _ in range(1, _PLACES):
        roots.append(isqrt(roots[-1] << _ROOT_BITS))
    tables = []
    for places in (roots[:8], roots[8:]):
        table = []
        for n in range(256):
            power = one
            for place, root in enumerate(places):
                if n >> (7 - place) & 1:
                    power = power * root >> _ROOT_BITS
            table.append(power >> (_ROOT_BITS - POWER_BITS))
        tables.append(tuple(table))
    return tables[0], tables[1]


_COARSE, _FINE = _tables()
