-- The entries of an account that has ended go a few at a time, too. Until the last of them is gone it stands here, and
-- nothing that people read shows them.
CREATE TABLE ended (account TEXT PRIMARY KEY) STRICT;

DROP VIEW entries_since;

CREATE VIEW entries_since AS
SELECT entries.account, entries.number, digest, entry FROM entries
WHERE NOT EXISTS (SELECT 1 FROM snapshots
                  WHERE snapshots.account = entries.account AND snapshots.number >= entries.number)
  AND NOT EXISTS (SELECT 1 FROM ended WHERE ended.account = entries.account);
