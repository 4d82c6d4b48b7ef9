-- No index of the entries: it took as much to write as they do. The simulator knows in which place each of them stands,
-- and an account that has ended may be opened again at once: what it had before are its entries up to this place.
CREATE TABLE placed (
    place INTEGER PRIMARY KEY,
    account TEXT NOT NULL,
    number INTEGER NOT NULL,
    digest INTEGER NOT NULL,
    entry TEXT NOT NULL
) STRICT;

INSERT INTO placed SELECT rowid, account, number, digest, entry FROM entries ORDER BY rowid;
ALTER TABLE ended ADD COLUMN last_place INTEGER NOT NULL DEFAULT 0;
UPDATE ended SET last_place = coalesce((SELECT max(place) FROM placed WHERE placed.account = ended.account), 0);
DELETE FROM ended WHERE last_place = 0;

DROP VIEW entries_since;
DROP TABLE entries;

-- The views that name this table name the new one from now on.
PRAGMA legacy_alter_table = ON;
ALTER TABLE placed RENAME TO entries;
PRAGMA legacy_alter_table = OFF;

CREATE VIEW entries_since AS
SELECT entries.account, entries.number, digest, entry FROM entries
WHERE NOT EXISTS (SELECT 1 FROM snapshots
                  WHERE snapshots.account = entries.account AND snapshots.number >= entries.number)
  AND NOT EXISTS (SELECT 1 FROM ended WHERE ended.account = entries.account AND ended.last_place >= entries.place);

-- These two asked the index for each account: they look through all entries once instead.
DROP VIEW wallets;
DROP VIEW attempts;

-- What each account has and had, in rupees: balance + charged = topped_up.
CREATE VIEW wallets AS
WITH opened AS (
    SELECT account, change ->> '$.config.liveWallet' AS amount FROM changes WHERE name = 'opened'
    UNION ALL
    SELECT account, whole ->> '$.opened.liveWallet' FROM wholes
), moved AS (
    SELECT wholes.account, wholes.number, environment.value AS environment,
           whole ->> ('$.' || environment.value || '.wallet.toppedUp') AS topped_up,
           whole ->> ('$.' || environment.value || '.wallet.held') AS held,
           whole ->> ('$.' || environment.value || '.wallet.charged') AS charged
    FROM wholes JOIN beginnings USING (account), json_each('["test", "live"]') AS environment
    WHERE wholes.number >= beginnings.number
    UNION ALL
    SELECT opened.account, beginnings.number, environment.value, iif(environment.value = 'live', amount, 0), 0, 0
    FROM opened JOIN beginnings USING (account), json_each('["test", "live"]') AS environment
    WHERE account NOT IN (SELECT account FROM wholes JOIN beginnings USING (account)
                          WHERE wholes.number >= beginnings.number)
    UNION ALL
    SELECT changes.account, changes.number, environment, iif(name = 'toppedUp', change ->> 'amount', 0),
           CASE name WHEN 'holdOpened' THEN change ->> 'amount' WHEN 'holdSettled' THEN -(change ->> 'amount') ELSE 0 END,
           iif(name = 'holdSettled', change ->> 'charged', 0)
    FROM changes JOIN beginnings USING (account)
    WHERE name IN ('toppedUp', 'holdOpened', 'holdSettled') AND changes.number >= beginnings.number
)
SELECT account, environment, round(sum(topped_up) - sum(charged), 2) AS balance, round(sum(held), 2) AS held,
       round(sum(charged), 2) AS charged, round(sum(topped_up), 2) AS topped_up
FROM moved GROUP BY account, environment;

-- Every attempt to deliver a webhook: what the receiver answered, or why there was no answer.
CREATE VIEW attempts AS
WITH attempted AS MATERIALIZED (
    SELECT account, environment, change ->> 'verification' AS id, number, position, change -> 'attempt' AS attempt
    FROM changes WHERE name = 'attempted'
), made AS (
    SELECT account, environment, verifications.id, endpoint, attempt.key AS place, attempt.value AS attempt
    FROM verifications, json_each(verification, '$.delivery.attempts') AS attempt
    UNION ALL
    SELECT account, environment, id, endpoint, 1000 * attempted.number + attempted.position, attempted.attempt
    FROM verifications JOIN attempted USING (account, environment, id)
    WHERE (attempted.number, attempted.position) > (verifications.number, verifications.position)
)
SELECT account, environment, 'dlv_' || substr(id, 6) AS delivery, id AS verification, endpoint,
       row_number() OVER (PARTITION BY account, environment, id ORDER BY place) AS number,
       attempt ->> 'due' AS due, attempt ->> '$.sent.url' AS url, attempt ->> '$.answer.status' AS status,
       attempt ->> '$.answer.nothing' AS no_answer
FROM made;
