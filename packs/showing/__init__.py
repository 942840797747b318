"""What people see: the terminal, pictures, pages and memoirs, in English and Chinese."""

from __future__ import annotations

from importlib import import_module
from types import ModuleType
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from enishi.packs.showing import carried as carried
    from enishi.packs.showing import checked as checked
    from enishi.packs.showing import erasure_told as erasure_told
    from enishi.packs.showing import mood_plot as mood_plot
    from enishi.packs.showing import reasons as reasons
    from enishi.packs.showing import recalled as recalled
    from enishi.packs.showing import remembered as remembered
    from enishi.packs.showing import said as said
    from enishi.packs.showing import terminal as terminal
    from enishi.packs.showing import timeline_plot as timeline_plot
    from enishi.packs.showing import timeline_svg as timeline_svg


def __getattr__(name: str) -> ModuleType:
    """A module of this folder, imported when it is first used, so that help is printed fast."""
    try:
        return import_module(f"{__name__}.{name}")
    except ModuleNotFoundError as error:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}") from error
