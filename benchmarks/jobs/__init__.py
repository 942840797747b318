"""The jobs: what is measured, against which floor or peer, and with which aim."""

from __future__ import annotations

from jobs.changing import changes, erasures
from jobs.folding import asking, folds, moods, peer_replays
from jobs.places import JobMaker
from jobs.recording import appends, imports, peer_commits, turns_full, turns_normal
from jobs.storing import openings, verifications

JOBS: tuple[JobMaker, ...] = (
    turns_full,
    turns_normal,
    imports,
    appends,
    folds,
    moods,
    asking,
    changes,
    peer_commits,
    peer_replays,
    erasures,
    openings,
    verifications,
)
