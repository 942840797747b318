"""What stands, computed the slow way straight from the rule, with nothing of the kernel's code.

Records are (number, header, erased?) as decoded headers; everything is recomputed each time.
"""

from __future__ import annotations

from typing import Any

TEXTS = {"MessageReceived", "ReplyGiven", "TextRevised"}
ACTS = {
    "VariantChosen",
    "RevisionChosen",
    "BranchForked",
    "BranchSwitched",
    "TipMoved",
    "Withdrawn",
    "Restored",
    "Erased",
    "WordsErased",
}
FREE = {
    *("SignalAccepted", "BeliefConfirmed", "BeliefRetracted", "PromiseEnded", "LoopEnded"),
    *("PromiseConditionMet", "ConsequenceFollowed", "TensionMoved", "TurnAbandoned"),
    *("DecisionReleased", "MoodObserved", "EpisodeBegan", "EpisodeContinued", "RecallUsed"),
}


class Reference:
    """The rule, applied to a list of headers."""

    def __init__(self, headers: list[Any]) -> None:
        self.headers = headers

    def branches(self) -> list[int]:
        return [0] + [h.number for h in self.headers if h.type == "BranchForked"]

    def lineage(self, branch: int) -> list[tuple[int, float]]:
        """The branch and its ancestors, each with the number where its say ends."""
        found: list[tuple[int, float]] = [(branch, float("inf"))]
        while branch != 0:
            parent = self.headers[branch].branch
            found.append((parent, min(branch, found[-1][1])))
            branch = parent
        return found

    def says(self, number: int, branch: int) -> bool:
        own = self.headers[number].branch
        return any(own == b and number < limit for b, limit in self.lineage(branch))

    def tip(self, branch: int) -> int | None:
        tip = None
        if branch != 0:
            targets = self.headers[branch].targets
            tip = targets[0] if targets else None
        for h in self.headers:
            if h.branch == branch and h.type == "TurnOpened":
                tip = h.number
            if h.branch == branch and h.type == "TipMoved":
                tip = h.targets[0] if h.targets else None
        return tip

    def path(self, branch: int) -> list[int | None]:
        turn = self.tip(branch)
        path: list[int | None] = []
        while turn is not None:
            path.append(turn)
            turn = self.headers[turn].parent
        return [None, *reversed(path)]

    def withdrawn(self, number: int) -> bool:
        state = False
        for h in self.headers:
            if number in h.targets and h.type in ("Withdrawn", "Restored"):
                state = h.type == "Withdrawn"
        return state

    def erased(self, number: int, *, spared: bool = False) -> bool:
        """Whether it was erased for good; what only lost its words counts as not, if `spared`."""
        stones = {"Erased"} if spared else {"Erased", "WordsErased"}
        return any(h.type in stones and number in h.targets for h in self.headers)

    def root(self, text: int) -> int:
        h = self.headers[text]
        return h.targets[0] if h.type == "TextRevised" else text

    def chosen_reply(self, turn: int | None, branch: int) -> int | None:
        chosen = None
        for h in self.headers:
            if not self.says(h.number, branch):
                continue
            if h.type == "ReplyGiven" and h.turn == turn:
                chosen = h.number
            if h.type == "VariantChosen" and self.headers[h.targets[0]].turn == turn:
                chosen = h.targets[0]
        return chosen

    def chosen_wording(self, root: int, branch: int) -> int:
        chosen = root
        for h in self.headers:
            if not self.says(h.number, branch):
                continue
            if h.type == "TextRevised" and h.targets[0] == root:
                chosen = h.number
            if h.type == "RevisionChosen" and self.root(h.targets[0]) == root:
                chosen = h.targets[0]
        return chosen

    def stands(
        self, number: int, branch: int, path: list[int | None], spared: bool = False
    ) -> bool:
        h = self.headers[number]
        if h.type in ACTS or self.erased(number, spared=spared) or self.withdrawn(number):
            return False
        if h.turn not in path:
            return False
        if h.type in TEXTS:
            root = self.root(number)
            if self.headers[root].type == "ReplyGiven":
                if self.chosen_reply(h.turn, branch) != root:
                    return False
            elif not self.says(root, branch):
                return False
            if self.chosen_wording(root, branch) != number:
                return False
        if not h.causes:
            return self.says(number, branch)
        bears = h.type in FREE or self.erased(number)
        return all(self.stands(cause, branch, path, bears) for cause in h.causes)

    def order(self, branch: int) -> list[int]:
        """The standing events by their place: position of their turn, then number."""
        path = self.path(branch)
        standing = [h.number for h in self.headers if self.stands(h.number, branch, path)]
        return sorted(standing, key=lambda n: (path.index(self.headers[n].turn), n))
