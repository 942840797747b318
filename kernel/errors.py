"""One small tree of errors. Each says what was wrong, with which id, and what to do.

Ordinary refusals of proposals are answers (see `decisions`), never errors.
"""


class EnishiError(Exception):
    """The root: catch this to catch all of them. The message is one line for a person."""


class InvalidInput(EnishiError):
    """What the caller gave cannot be recorded as it is. Nothing was written."""


class NotFound(EnishiError):
    """No such relationship, branch, turn, text or event."""


class Conflict(EnishiError):
    """What the caller gave contradicts what is already recorded. Nothing was written."""


class RequestConflict(Conflict):
    """This request id was used before, with other content."""


class RequestErased(RequestConflict):
    """This request id was used before, and what it recorded has been erased for good."""


class ExpectationFailed(Conflict):
    """The branch is not where the caller expected it to be. Read the tip and decide again."""


class StoreFailure(EnishiError):
    """The store itself cannot be used as asked."""


class NotAStore(StoreFailure):
    """The file exists and is no Enishi store."""


class StoreTooNew(StoreFailure):
    """The store was written by a newer Enishi than this one."""


class StoreReadOnly(StoreFailure):
    """The store, or its folder, cannot be written."""


class StoreFull(StoreFailure):
    """The disk is full, or the store has reached its size limit. Nothing was half-written."""


class StoreBusy(StoreFailure):
    """Another process held the store for longer than the waiting time."""


class NoKeys(StoreFailure):
    """The store is keyed, and its key file is not beside it."""


class WrongKeys(StoreFailure):
    """The key file beside the store is not the one of this store."""


class LogDamaged(StoreFailure):
    """A record cannot be read as what it claims to be. `enishi verify` says where."""


class UnreadableFile(EnishiError):
    """A file at a border is not what it should be: no chat, a truncated card, a bomb."""


class PackError(UnreadableFile):
    """A MemoryPack that cannot be taken in as it is. Nothing was changed."""


class PackDamaged(PackError):
    """A pack whose content is not what its seal, its chain or its records say it should be."""


class PackTruncated(PackError):
    """A pack that ends before its end."""


class PackTooNew(PackError):
    """A pack that a newer Enishi wrote."""


class PackTooLarge(PackError):
    """A pack, or a part of it, that is larger than any real one: a bomb, or a mistake."""


class WrongKey(PackError):
    """An encrypted pack that this key or passphrase does not open."""


class WrongSigner(PackError):
    """A pack that is not signed by whom it should be, or whose signature does not fit."""


class PackConflict(Conflict):
    """The pack and what is here went on differently. The message says from which number on."""


class ProposerFailed(EnishiError):
    """The proposer gave no usable answer. Nothing was lost; the batch can be tried again."""


class EmbedderFailed(EnishiError):
    """The embedder made no usable vectors. What was said is still found by its words."""


class MissingExtra(EnishiError):
    """An optional part is not installed. The message names the extra that brings it."""
