"""How anything stands on a terminal: lines as they are, tables, times. Plain values for machines."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields, is_dataclass
from typing import Any

from pydantic import BaseModel
from rich import box
from rich.console import Console
from rich.table import Table

from enishi.kernel.moments import Moment

_QUOTE = 100


_ORDERS = {code: "\ufffd" for code in (*range(32), *range(0x7F, 0xA0)) if code not in (9, 10)}


def plain(value: Any) -> Any:
    """JSON values of whatever the face returns; moments as ISO 8601 with their offset."""
    if isinstance(value, Moment):
        return {"at": value.to_datetime().isoformat(), "zone_assumed": value.assumed}
    if isinstance(value, BaseModel):
        return plain(value.model_dump())
    if is_dataclass(value) and not isinstance(value, type):
        return {field.name: plain(getattr(value, field.name)) for field in fields(value)}
    if isinstance(value, tuple) and hasattr(value, "_asdict"):
        return plain(value._asdict())
    if isinstance(value, dict):
        return {str(key): plain(one) for key, one in value.items()}
    if isinstance(value, list | tuple):
        return [plain(one) for one in value]
    return value.hex() if isinstance(value, bytes) else value


def say(console: Console, line: str, style: str | None = None) -> None:
    """One line, as it is: never wrapped, never read as markup or as an order to the terminal."""
    plain_line = line.translate(_ORDERS)
    console.print(
        plain_line, style=style, highlight=False, markup=False, emoji=False, soft_wrap=True
    )


def say_all(console: Console, text: str) -> None:
    """Several lines, each as it is."""
    for line in text.split("\n"):
        say(console, line)


def listed(numbers: Iterable[int]) -> str:
    """Numbers in a row."""
    return ", ".join(str(number) for number in numbers)


def earlier(console: Console, hidden: int, what: str) -> None:
    if hidden:
        say(console, f"({hidden} earlier {what}; --last 0 shows all)")


def table_of(*columns: str) -> Table:
    """A plain table; a column whose name ends with > is aligned to the right."""
    table = Table(box=box.SIMPLE_HEAD, pad_edge=False)
    for column in columns:
        justify: Any = "right" if column.endswith(">") else "left"
        table.add_column(column.removesuffix(">").strip(), justify=justify, overflow="fold")
    return table


def add_row(table: Table, *cells: object) -> None:
    """Add a row of plain cells."""
    from rich.text import Text as Cell

    # As a Cell, a name in square brackets is not read as markup.
    shown = ("" if cell is None else str(cell).translate(_ORDERS) for cell in cells)
    table.add_row(*map(Cell, shown))


def time_of(moment: Moment | None) -> str:
    """A moment as it is shown."""
    return "unknown" if moment is None else str(moment)


def several(number: int, one: str, many: str | None = None) -> str:
    """So many of something: "1 turn", "2 turns"."""
    return f"{number} {one if number == 1 else many or one + 's'}"


def words_of(name: str) -> str:
    return name.replace("_", " ")


def short_line(text: str) -> str:
    """A text in one line that fits beside others."""
    line = " ".join(text.split())
    return line if len(line) <= _QUOTE else line[: _QUOTE - 1] + "…"
