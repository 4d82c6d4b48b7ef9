-- What a store is, as a whole: which clock its accounts follow, which seed its ids are made with.
CREATE TABLE settings (
    name TEXT PRIMARY KEY,
    value TEXT NOT NULL
) STRICT;

-- Each account as it was after so many entries. The checksum is that of the snapshot alone.
CREATE TABLE snapshots (
    account TEXT PRIMARY KEY,
    number INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    checksum INTEGER NOT NULL,
    snapshot TEXT NOT NULL
) STRICT;

-- What changed in each account since, in order. A digest is made of the entry and of the digest before it.
CREATE TABLE entries (
    account TEXT NOT NULL,
    number INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    entry TEXT NOT NULL
) STRICT;

CREATE UNIQUE INDEX entries_in_order ON entries (account, number);

-- Every verification as it was recorded last: that of the entries, else that of the snapshot.
CREATE VIEW verifications AS
WITH recorded AS (
    SELECT entries.account, entries.number, change.key AS position,
           entry ->> 'environment' AS environment, change.value -> '$.id' AS id_json, change.value AS verification
    FROM entries, json_each(entry, '$.changes') AS change
    WHERE change.value ->> 'change' = 'recorded'
    UNION ALL
    SELECT snapshots.account, snapshots.number, record.key,
           'test', record.value -> '$.verification.id', record.value -> '$.verification'
    FROM snapshots, json_each(snapshot, '$.changes[0].test.verifications.records') AS record
    UNION ALL
    SELECT snapshots.account, snapshots.number, record.key,
           'live', record.value -> '$.verification.id', record.value -> '$.verification'
    FROM snapshots, json_each(snapshot, '$.changes[0].live.verifications.records') AS record
)
SELECT account, environment, id_json ->> '$' AS id, verification
FROM recorded;
