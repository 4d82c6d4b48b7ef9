//! The statements of the store.

/// Writes a group in one round trip and one transaction. Rows are locked in order of id, so that replicas
/// never wait for each other in a ring. What was decided on another version than the store has is left out.
/// Gives back who was written, what the store has of those that are only checked, and who works on each.
///
/// `due_ms` says in how many milliseconds something falls due: -1 never, -2 when it did before, null that it was
/// not said yet: then somebody looks soon. A row whose due time stays is updated in its page, with no index.
pub(super) const WRITE: &str = "
WITH wanted AS MATERIALIZED (
    SELECT * FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[])
        AS w (id, after_number, after_digest, to_number, to_digest, due_ms)
), locked AS MATERIALIZED (
    SELECT a.id FROM accounts a WHERE a.id = ANY ($1) ORDER BY a.id FOR NO KEY UPDATE
), matched AS (
    UPDATE accounts a SET
        version_number = w.to_number,
        version_digest = w.to_digest,
        used_at = CASE WHEN a.used_at < now() - interval '1 minute' THEN now() ELSE a.used_at END,
        next_due = CASE WHEN w.due_ms = -2 THEN a.next_due WHEN w.due_ms < 0 THEN NULL
            ELSE now() + coalesce(w.due_ms, 2000) * interval '1 millisecond' END,
        worker = CASE WHEN w.due_ms = -2 THEN a.worker
            WHEN w.due_ms < 0 THEN nullif(a.worker, $12::bigint)
            WHEN EXISTS (SELECT FROM replicas r
                WHERE r.id = a.worker AND r.heartbeat > now() - interval '5 seconds') THEN a.worker
            ELSE $12::bigint END
    FROM wanted w JOIN locked l ON l.id = w.id
    WHERE a.id = w.id AND a.version_number = w.after_number AND a.version_digest = w.after_digest
    RETURNING a.id, a.version_number, a.version_digest, a.worker
), written AS (
    INSERT INTO entries (account, number, digest, entry)
    SELECT e.account, e.number, e.digest, e.entry::json
    FROM unnest($7::text[], $8::bigint[], $9::bigint[], $10::text[]) AS e (account, number, digest, entry)
    WHERE e.account IN (SELECT id FROM matched)
)
SELECT id, version_number, version_digest, worker FROM matched
UNION ALL
SELECT id, version_number, version_digest, worker FROM accounts WHERE id = ANY ($11)";

/// Which of these entries there are: of a group whose connection was lost it is not known what became of it.
pub(super) const FOUND: &str = "
SELECT e.account FROM entries e
JOIN unnest($1::text[], $2::bigint[], $3::bigint[]) AS w (account, number, digest)
    ON e.account = w.account AND e.number = w.number AND e.digest = w.digest";

/// An account begins.
pub(super) const OPEN: &str = "
INSERT INTO accounts (id, version_number, version_digest, next_due, worker)
SELECT $1, $2, $3, CASE WHEN $4::bigint < 0 THEN NULL
    ELSE now() + coalesce($4, 2000) * interval '1 millisecond' END,
    CASE WHEN $4 < 0 THEN NULL ELSE $5::bigint END
ON CONFLICT (id) DO NOTHING";

/// An account gets names, where they are nobody else's.
pub(super) const NAME: &str = "
INSERT INTO key_names (name, account)
SELECT name, $2 FROM unnest($1::text[]) AS n (name) ORDER BY name
ON CONFLICT (name) DO UPDATE SET account = excluded.account WHERE key_names.account = excluded.account";

/// An account's row ends, where it is at this version and nobody used it for so many milliseconds.
pub(super) const CLOSE: &str = "
DELETE FROM accounts
WHERE id = $1 AND version_number = $2 AND version_digest = $3
    AND used_at <= now() - $4::bigint * interval '1 millisecond'";

/// The entries that an account begins with.
pub(super) const ADD: &str = "
INSERT INTO entries (account, number, digest, entry)
SELECT e.account, e.number, e.digest, e.entry::json
FROM unnest($1::text[], $2::bigint[], $3::bigint[], $4::text[]) AS e (account, number, digest, entry)";

/// What an account leaves that has ended.
pub(super) const FORGET: [&str; 2] = [
    "DELETE FROM entries WHERE account = $1",
    "DELETE FROM key_names WHERE account = $1",
];

/// All of an account, or what came after a number and the entry of that number.
pub(super) const LOAD: &str = "SELECT number, digest, entry::text FROM entries WHERE account = $1 AND number >= $2 ORDER BY number";

/// All of all accounts.
pub(super) const LOAD_ALL: &str = "SELECT number, digest, entry::text, account FROM entries ORDER BY account COLLATE \"C\", number";

/// How far all accounts have come.
pub(super) const VERSIONS: &str = "SELECT id, version_number, version_digest FROM accounts";

/// Tells all replicas.
pub(super) const NOTIFY: &str =
    "SELECT pg_notify($1, payload) FROM unnest($2::text[]) AS p (payload)";

/// A replica is alive.
pub(super) const BEAT: &str = "
INSERT INTO replicas (id, version, rules, seed) VALUES ($1, $2, $3, $4)
ON CONFLICT (id) DO UPDATE SET heartbeat = now(), version = excluded.version, rules = excluded.rules,
    seed = excluded.seed";

/// A replica does nothing more.
pub(super) const LEAVE: &str = "
WITH gone AS (DELETE FROM replicas WHERE id = $1)
UPDATE accounts SET worker = NULL WHERE worker = $1";

/// Forgets replicas that have died long ago.
pub(super) const BURY: &str = "DELETE FROM replicas WHERE heartbeat < now() - interval '1 hour'";

/// All that are alive and have said who they are.
pub(super) const REPLICAS: &str = "
SELECT id, version, rules, seed FROM replicas WHERE heartbeat > now() - interval '5 seconds' AND rules <> '' ORDER BY id";

/// Takes work over that is due and that no replica that is alive does; and finds what this one should have
/// done by now.
pub(super) const CLAIM: &str = "
WITH free AS (
    SELECT id FROM accounts a
    WHERE next_due < now() + interval '1 second'
        AND (worker IS NULL OR worker <> $1 AND NOT EXISTS (SELECT FROM replicas r
            WHERE r.id = a.worker AND r.heartbeat > now() - interval '5 seconds'))
    ORDER BY next_due LIMIT 256 FOR NO KEY UPDATE SKIP LOCKED
), taken AS (
    UPDATE accounts a SET worker = $1 FROM free WHERE a.id = free.id RETURNING a.id
)
SELECT id FROM taken
UNION ALL
(SELECT id FROM accounts WHERE worker = $1 AND next_due < now() - interval '1 second' LIMIT 256)";

/// Everything that a replica works on.
pub(super) const WORK: &str = "SELECT id FROM accounts WHERE worker = $1";

/// Hands the work on an account to another replica.
pub(super) const HAND_OVER: &str =
    "UPDATE accounts SET worker = $2 WHERE id = $1 AND (worker = $3 OR worker IS NULL)";

/// Takes the work on an account where nobody does it. Gives back who does.
pub(super) const TAKE: &str = "
UPDATE accounts a SET worker = CASE WHEN EXISTS (SELECT FROM replicas r
    WHERE r.id = a.worker AND r.heartbeat > now() - interval '5 seconds') THEN a.worker ELSE $2::bigint END
WHERE id = $1 RETURNING worker";

/// Whoever makes a snapshot has the account to itself for a moment; one that is busy is left to somebody else.
pub(super) const CLAIM_SNAPSHOT: &str =
    "SELECT id FROM accounts WHERE id = $1 FOR NO KEY UPDATE SKIP LOCKED";

/// Puts a snapshot in the place of the entry that it was made after.
pub(super) const SNAPSHOT: &str =
    "UPDATE entries SET entry = $4::text::json WHERE account = $1 AND number = $2 AND digest = $3";

/// What a snapshot holds is not needed any more.
pub(super) const COMPACT: &str = "DELETE FROM entries WHERE account = $1 AND number < $2";

/// What is known of the store as a whole: whoever is first says it.
pub(super) const REMEMBER: &str =
    "INSERT INTO facts (name, value) VALUES ($1, $2) ON CONFLICT (name) DO NOTHING";
