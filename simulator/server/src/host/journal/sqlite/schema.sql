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

-- For people with sqlite3; the simulator reads none of these. Of an account that was reset they show what came then.

-- The account as it was when it was put together: its snapshot, or what it was copied from.
CREATE VIEW wholes AS
SELECT account, number, snapshot -> '$.changes[0]' AS whole FROM snapshots
UNION ALL
SELECT account, number, entry -> '$.changes[0]' FROM entries WHERE entry ->> '$.changes[0].change' = 'forked';

-- Every change since then, in order.
CREATE VIEW changes AS
SELECT entries.account, entries.number, change.key AS position, entry ->> 'at' AS at,
       entry ->> 'environment' AS environment, change.value ->> 'change' AS name, change.value AS change
FROM entries, json_each(entry, '$.changes') AS change;

-- After which entry an account began as it is: 0 where it was never reset.
CREATE VIEW beginnings AS
SELECT account, max(iif(name = 'reset', number, 0)) AS number FROM
    (SELECT account, name, number FROM changes UNION ALL SELECT account, '', 0 FROM wholes)
GROUP BY account;

-- Every verification as it was recorded last. What retention forgot stands here until the next snapshot.
CREATE VIEW verifications AS
WITH recorded AS (
    SELECT account, number, position, environment, change AS verification FROM changes WHERE name = 'recorded'
    UNION ALL
    SELECT account, number, -1, environment.value, record.value -> '$.verification'
    FROM wholes, json_each('["test", "live"]') AS environment,
         json_each(whole, '$.' || environment.value || '.verifications.records') AS record
), newest AS (
    SELECT recorded.*, row_number() OVER (
        PARTITION BY account, environment, verification ->> 'id' ORDER BY recorded.number DESC, position DESC) AS place
    FROM recorded JOIN beginnings USING (account) WHERE recorded.number >= beginnings.number
)
SELECT account, environment, verification ->> 'id' AS id, verification ->> 'endpoint' AS endpoint,
       verification ->> 'createdAt' AS created_at,
       coalesce(verification ->> '$.answer.envelope' ->> '$.status', 'delayed') AS state,
       verification ->> '$.answer.status' AS status,
       verification ->> '$.answer.envelope' ->> '$.error.code' AS error,
       verification ->> '$.phase.pending.due.at' AS due,
       coalesce(verification ->> 'charged', 0) AS charged,
       verification ->> '$.claims[0].key' AS idempotency_key,
       verification ->> '$.because.scenario' AS because,
       verification ->> '$.answer.envelope' AS envelope,
       number, position, verification
FROM newest WHERE place = 1;

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
    WHERE NOT EXISTS (SELECT 1 FROM wholes
                      WHERE wholes.account = opened.account AND wholes.number >= beginnings.number)
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
WITH made AS (
    SELECT account, environment, verifications.id, endpoint, attempt.key AS place, attempt.value AS attempt
    FROM verifications, json_each(verification, '$.delivery.attempts') AS attempt
    UNION ALL
    SELECT verifications.account, verifications.environment, id, endpoint,
           1000 * changes.number + changes.position, change -> 'attempt'
    FROM verifications JOIN changes ON name = 'attempted' AND changes.account = verifications.account
         AND changes.environment = verifications.environment AND change ->> 'verification' = id
         AND (changes.number, changes.position) > (verifications.number, verifications.position)
)
SELECT account, environment, 'dlv_' || substr(id, 6) AS delivery, id AS verification, endpoint,
       row_number() OVER (PARTITION BY account, environment, id ORDER BY place) AS number,
       attempt ->> 'due' AS due, attempt ->> '$.sent.url' AS url, attempt ->> '$.answer.status' AS status,
       attempt ->> '$.answer.nothing' AS no_answer
FROM made;

-- Every webhook: how often it was tried, and whether the receiver took it (a status of 200 to 299).
CREATE VIEW deliveries AS
SELECT made.account, made.environment, 'dlv_' || substr(made.id, 6) AS id, made.id AS verification, made.endpoint,
       made.verification ->> '$.delivery.since' AS since, count(attempts.number) AS attempts,
       coalesce(max(attempts.status BETWEEN 200 AND 299), 0) AS taken
FROM verifications AS made LEFT JOIN attempts ON attempts.account = made.account
     AND attempts.environment = made.environment AND attempts.verification = made.id
WHERE made.verification -> '$.delivery' IS NOT NULL
GROUP BY made.account, made.environment, made.id;
