"""What does not fit is said in our words, not in those of the library that found it."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from copy import deepcopy
from typing import Any

import pytest
from pydantic import BaseModel, ValidationError

from enishi.kernel.deciding.proposals import ANY_PROPOSAL, Citation, Felt, SummarySentence
from enishi.kernel.erasing.receipt import Receipt, read_receipt
from enishi.kernel.errors import EnishiError, InvalidInput
from enishi.kernel.events import EVENT_TYPES, misfit, payload_of
from enishi.kernel.misfits import misfit_of, words_of
from enishi.packs.erii.reading import Contents
from enishi.packs.memorypack.format import Manifest
from enishi.projections.policy import Policy, bundled_policy, read_policy

THEIRS = re.compile(
    r"Input should|Value error|[Ff]ield required|Extra inputs|should (have|match)|valid (integer|"
    r"number|string|list|tuple|dict|boolean)|[Vv]alidation|pydantic|msgspec|Expected `",
)
WRONG = (None, "x", "\n", "", -1, 2**70, 1.5, float("nan"), True, [], {}, {"a": 1}, [1], ["x"] * 99)


def models() -> Iterator[type[BaseModel]]:
    yield from (row.model for row in EVENT_TYPES.values())
    yield from (Policy, Receipt, Manifest, Contents, Citation, Felt, SummarySentence)


@pytest.mark.parametrize("model", list(models()), ids=lambda model: model.__name__)
def test_there_are_words_of_ours_for_whatever_does_not_fit(model: type[BaseModel]) -> None:
    for field in model.model_fields:
        for wrong in WRONG:
            try:
                model.model_validate({field: wrong, "unheard_of": 1})
            except ValidationError as error:
                for problem in error.errors(include_url=False):
                    said = words_of(problem)
                    assert said != "does not fit" and not THEIRS.search(said), problem
                assert len(misfit_of(error).splitlines()) == 1


def places(data: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    for name, value in data.items() if isinstance(data, dict) else ():
        yield from places(value, (*path, name))


def test_a_policy_names_its_field_and_what_is_wrong_with_it() -> None:
    fitting = json.loads(bundled_policy().model_dump_json())
    for path in list(places(fitting))[1:]:
        for wrong in WRONG:
            data = deepcopy(fitting)
            within = data
            for name in path[:-1]:
                within = within[name]
            within[path[-1]] = wrong
            try:
                read_policy(data)
            except EnishiError as error:
                assert not THEIRS.search(str(error)) and len(str(error).splitlines()) == 1
                assert path[0] in str(error)
    fitting["rapport"]["day"]["gain"] = "much"
    with pytest.raises(InvalidInput, match=r"rapport\.day\.gain is no whole number$"):
        read_policy(fitting)


@pytest.mark.parametrize("wrong", [{}, {"scope": 1}, {"parts": [{}]}, {"erased": {1, 2}}])
def test_a_receipt(wrong: dict[str, Any]) -> None:
    with pytest.raises(InvalidInput, match=r"this is no receipt of an erasure \(") as caught:
        read_receipt(wrong)
    assert not THEIRS.search(str(caught.value)) and len(str(caught.value).splitlines()) == 1


def test_a_payload() -> None:
    assert misfit("PromiseMade", {"act": 1}) == "spans is missing"
    with pytest.raises(InvalidInput, match=r"^PartyNamed does not fit: party is missing$"):
        payload_of("PartyNamed", name="Chen")


def test_what_we_refuse_ourselves_is_said_as_we_say_it() -> None:
    with pytest.raises(ValidationError) as caught:
        Felt()
    assert misfit_of(caught.value) == "it is wrong: at least one of the four values is needed"


@pytest.mark.parametrize(
    ("wrong", "words"), [({"kind": "mode"}, "is of no known kind"), ({}, "does not say its kind")]
)
def test_a_proposal(wrong: dict[str, Any], words: str) -> None:
    with pytest.raises(ValidationError) as caught:
        ANY_PROPOSAL.validate_python(wrong)
    assert misfit_of(caught.value) == f"it {words}"
