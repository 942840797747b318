"""Making a plain store a keyed one: every payload encrypted where it stands.

Commitments are over the plain payloads, so that no header, hash or digest changes.
"""

from __future__ import annotations

from enishi.kernel.keys.vault import Vault, keys_path, made, new_identity
from enishi.kernel.log import Log, translated

_ROWS = 500
WHOLE_STORE = (0, 0)
"""What a scrub is noted under that is for no tombstone: there is no line 0."""


def make_keyed(log: Log) -> int:
    """Encrypt every payload of a store that was opened `alone`. Returns how many there were.

    A keyed store stays as it is. After a crash it is a plain store still, or a keyed one. Drops
    checkpoints and indexes. `log.scrub` then says whether no plain text is left in the file.
    """
    if log.vault is not None:
        return 0
    with log.writing(), translated(log.path):
        # Noted first, so that a key file that was only begun is known again.
        rows = log.connection.execute("SELECT id FROM vault").fetchall() or [(new_identity(),)]
        log.connection.execute("INSERT OR IGNORE INTO vault VALUES(?,0)", rows[0])
    identity = made(log.path, rows[0][0])
    count, after = 0, -(1 << 63)
    vault = Vault(keys_path(log.path), identity, read_only=False, timeout=1)
    with log.writing(), translated(log.path), log.unguarded():
        run = log.connection.execute
        sql = (
            "SELECT id, salt, payload FROM record"
            " WHERE id > ? AND salt IS NOT NULL AND payload IS NOT NULL ORDER BY id LIMIT ?"
        )
        while rows := run(sql, (after, _ROWS)).fetchall():
            log.connection.executemany(
                "UPDATE record SET salt=x'', payload=? WHERE id=?",
                [(vault.encrypt(key, salt, payload), key) for key, salt, payload in rows],
            )
            vault.commit()
            count, after = count + len(rows), rows[-1][0]
        for table in ("checkpoint", *log.indexes()):
            run(f"DELETE FROM {table}")
        run("UPDATE line SET changed=changed+1")
        run("UPDATE vault SET ready=1")
        log.must_scrub(*WHOLE_STORE)
    log.vault = vault
    return count
