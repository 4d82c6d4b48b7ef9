-- Every account that there is, and how far it has come: what is written next is compared with that.
CREATE TABLE accounts (
    id             text        PRIMARY KEY,
    -- How many entries it has, and a digest of them all.
    version_number bigint      NOT NULL,
    version_digest bigint      NOT NULL,
    -- When somebody last used it, to a minute or so.
    used_at        timestamptz NOT NULL DEFAULT now(),
    -- When something of it falls due that nobody has to ask for; none where nothing does.
    next_due       timestamptz,
    -- The replica that does it.
    worker         bigint
) WITH (fillfactor = 70);

CREATE INDEX accounts_due ON accounts (next_due) WHERE next_due IS NOT NULL;

-- All that ever changed in an account, in order. The first may be a snapshot of all that was before it.
-- No foreign key: an entry is written only with its account's row locked, and a check for each would cost as
-- much as the entry.
CREATE TABLE entries (
    account text   NOT NULL,
    number  bigint NOT NULL,
    -- The account's digest after it.
    digest  bigint NOT NULL,
    entry   json   NOT NULL,
    PRIMARY KEY (account, number)
);

-- Which account a key belongs to: what follows svc_test_ or svc_live_ in it.
CREATE TABLE key_names (
    name    text PRIMARY KEY,
    account text NOT NULL
);

CREATE INDEX key_names_account ON key_names (account);

-- The simulators that work with these accounts.
CREATE TABLE replicas (
    id         bigint      PRIMARY KEY,
    -- One that was silent for some seconds has died.
    heartbeat  timestamptz NOT NULL DEFAULT now(),
    started_at timestamptz NOT NULL DEFAULT now(),
    version    text        NOT NULL,
    -- Digests of its contract and scenarios, and of its seed.
    rules      text        NOT NULL,
    seed       text        NOT NULL
);

-- What is the same for all of them: the seed, the clock.
CREATE TABLE facts (
    name  text PRIMARY KEY,
    value text NOT NULL
);
