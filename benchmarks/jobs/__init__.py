"""The jobs: what is measured, against which floor or peer, and with which aim."""

from __future__ import annotations

from jobs.carrying import packs
from jobs.changing import changes, changes_of_long, erasures
from jobs.crowding import crowds, mixed_load
from jobs.deciding import proposals
from jobs.folding import all_folds, asking, fold_memory, folds, moods, peer_replays
from jobs.places import JobMaker
from jobs.recalling import meanings, recalls
from jobs.recording import (
    appends,
    callers,
    imports,
    peer_commits,
    turns_full,
    turns_normal,
    turns_processes,
)
from jobs.starting import disk, idle_memory, starts
from jobs.storing import openings, verifications

JOBS: tuple[JobMaker, ...] = (
    turns_full,
    turns_normal,
    turns_processes,
    callers,
    peer_commits,
    imports,
    appends,
    folds,
    all_folds,
    fold_memory,
    peer_replays,
    moods,
    asking,
    proposals,
    recalls,
    meanings,
    changes,
    changes_of_long,
    erasures,
    packs,
    verifications,
    mixed_load,
    crowds,
    openings,
    starts,
    idle_memory,
    disk,
)
