-- Entries that a snapshot has the place of go a few at a time, so that no call waits for all of them. Until then
-- nothing that people read shows them.
DROP VIEW wholes;
DROP VIEW changes;

CREATE VIEW entries_since AS
SELECT entries.account, entries.number, digest, entry FROM entries
WHERE NOT EXISTS (SELECT 1 FROM snapshots
                  WHERE snapshots.account = entries.account AND snapshots.number >= entries.number);

-- The account as it was when it was put together: its snapshot, or what it was copied from.
CREATE VIEW wholes AS
SELECT account, number, snapshot -> '$.changes[0]' AS whole FROM snapshots
UNION ALL
SELECT account, number, entry -> '$.changes[0]' FROM entries_since
WHERE entry ->> '$.changes[0].change' = 'forked';

-- Every change since then, in order.
CREATE VIEW changes AS
SELECT since.account, since.number, change.key AS position, entry ->> 'at' AS at,
       entry ->> 'environment' AS environment, change.value ->> 'change' AS name, change.value AS change
FROM entries_since AS since, json_each(entry, '$.changes') AS change;
