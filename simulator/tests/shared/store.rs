//! The store itself: its versions, and what happens when it is lost.

use std::sync::Arc;

use serde_json::json;
use svc_simulator::Simulator;
use svc_simulator::host::journal::PostgresJournal;
use svc_test_support::{Authority, Folder, PostgresServer};

use crate::replica::{PAN, Replica};
use crate::{Server, Test};

pub(crate) const TESTS: &[(&str, Test)] = &[
    (
        "a_store_of_a_newer_program_is_refused_with_both_versions",
        newer,
    ),
    (
        "another_seed_is_refused_and_replicas_that_differ_see_each_other",
        another_seed,
    ),
    (
        "a_server_that_is_lost_is_said_and_used_again_when_it_is_back",
        lost,
    ),
    ("connections_that_are_ended_lose_nothing", connections_ended),
    (
        "sessions_that_only_read_are_given_up_and_ready_says_what_they_are",
        read_only,
    ),
    (
        "a_database_that_does_not_hold_every_text_is_refused",
        encoding,
    ),
    ("a_store_counts_its_commits_and_conflicts", counted),
    ("the_documented_privileges_suffice", least_privileges),
    ("a_server_that_speaks_tls_is_trusted_as_the_url_says", tls),
];

fn newer(server: &Server) {
    let store = server.fresh_store();
    drop(PostgresJournal::open(&store).expect("it opens"));
    let schema = store.rsplit_once('=').expect("a schema").1;
    let note = format!("INSERT INTO {schema}.store_version VALUES (99, '9.9.9')");
    drop(server.query(&note));
    let refused = PostgresJournal::open(&store)
        .err()
        .map(|error| error.to_string());
    let refused = refused.expect("it is refused");
    for part in ["version 99", "svc-simulator 9.9.9", "knows versions up to"] {
        assert!(refused.contains(part), "{refused}");
    }
}

fn another_seed(server: &Server) {
    let store = server.fresh_store();
    let one = Replica::start(&store);
    let journal = PostgresJournal::open(&store).expect("it opens");
    let other = Simulator::builder()
        .journal(Arc::new(journal))
        .seed("another");
    let _other = other.start_blocking().expect("it starts");
    let differs = one.until(|| {
        let peers = one.simulator().host().peers();
        peers
            .first()
            .map(|peer| peer.differs_in.clone())
            .filter(|it| !it.is_empty())
    });
    assert!(differs.contains(&"seed"), "{differs:?}");
}

fn lost(_: &Server) {
    // One of its own, for it is killed.
    let mut server = PostgresServer::start();
    let replica = Replica::start(&server.fresh_url());
    let first = replica.pan("local_l", "AAAAA0000A", Some("k"));
    assert_eq!(first.status, 200);
    server.kill();
    let failed = replica.pan("local_l", "AAAAA0000A", None);
    assert_eq!(failed.status, 500, "{failed:?}");
    replica.until(|| (replica.control("GET", "/ready", None).status == 503).then_some(()));
    assert!(replica.simulator().host().metrics().store().failures() > 0);
    server.up();
    replica.until(|| (replica.control("GET", "/ready", None).status == 200).then_some(()));
    let again = replica.until(|| {
        let again = replica.pan("local_l", "AAAAA0000A", Some("k"));
        (again.status == 200).then_some(again)
    });
    assert!(again.replay, "{again:?}");
    let calls = replica.get("local_l", "/v1/usage").body["data"]["totals"]["calls"].clone();
    assert_eq!(calls, 1, "what failed was not done");
}

fn connections_ended(server: &Server) {
    let replica = Replica::start(&server.own_database("cut"));
    for round in 1..=30 {
        let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE datname = 'cut' AND query LIKE '%wanted%'";
        drop(server.query(end));
        let answer = replica.pan("local_t", "AAAAA0000A", None);
        assert_eq!(answer.status, 200, "{answer:?}");
        let calls = replica.get("local_t", "/v1/usage").body["data"]["totals"]["calls"].clone();
        assert_eq!(calls, round);
    }
}

fn read_only(server: &Server) {
    let replica = Replica::start(&server.own_database("readonly"));
    assert_eq!(replica.pan("local_t", "AAAAA0000A", None).status, 200);
    let only_reads = "ALTER DATABASE readonly SET default_transaction_read_only = on";
    drop(server.query(only_reads));
    let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
        WHERE datname = 'readonly'";
    drop(server.query(end));
    let failed = replica.pan("local_t", "AAAAA0000A", None);
    assert_eq!(failed.status, 500, "{failed:?}");
    let told = replica.until(|| {
        let ready = replica.control("GET", "/ready", None);
        (ready.status == 503).then(|| ready.body.to_string())
    });
    assert!(told.contains("PostgreSQL is read-only"), "{told}");
    let writes = "ALTER DATABASE readonly RESET default_transaction_read_only";
    drop(server.query(writes));
    replica.until(|| (replica.control("GET", "/ready", None).status == 200).then_some(()));
    assert_eq!(replica.pan("local_t", "AAAAA0000A", None).status, 200);
    let calls = replica.get("local_t", "/v1/usage").body["data"]["totals"]["calls"].clone();
    assert_eq!(calls, 2);
}

fn encoding(server: &Server) {
    let made =
        "CREATE DATABASE latin ENCODING 'LATIN1' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    drop(server.query(made));
    let store = server.fresh_store().replace("/postgres?", "/latin?");
    let refused = PostgresJournal::open(&store).err();
    let refused = refused.expect("it is refused").to_string();
    assert!(
        refused.contains("is LATIN1") && refused.contains("UTF8"),
        "{refused}"
    );
    let made =
        "CREATE DATABASE bytes ENCODING 'SQL_ASCII' LC_COLLATE 'C' LC_CTYPE 'C' TEMPLATE template0";
    drop(server.query(made));
    let replica = Replica::start(&server.fresh_store().replace("/postgres?", "/bytes?"));
    let named =
        json!({ "pan": "AAAAA0000A", "name": "\u{906}\u{936}\u{93e} \u{930}\u{93e}\u{935}" });
    let called = replica.call("local_t", PAN, named, Some("k"));
    assert_eq!(called.status, 200, "{called:?}");
}

fn counted(server: &Server) {
    let [a, b] = Replica::start_all(&server.fresh_store(), "");
    let body = json!({ "pan": "AAAAA0000A" });
    // Both decide at once, again and again.
    a.until(|| {
        let calls = (0..10).map(|at| [&a, &b][at % 2].post("local_m", PAN, &body, None));
        let answers = a.at_once(calls);
        assert!(answers.iter().all(|it| it.status == 200), "{answers:?}");
        let conflicts = [&a, &b].map(|it| it.simulator().host().metrics().store().conflicts());
        (conflicts.iter().sum::<u64>() > 0).then_some(())
    });
    let calls = a.get("local_m", "/v1/usage").body["data"]["totals"]["calls"].clone();
    let entries: u64 = [&a, &b]
        .map(|it| it.simulator().host().metrics().store().groups().sum())
        .iter()
        .sum();
    assert!(
        calls.as_u64().is_some_and(|calls| entries >= calls),
        "{entries} of {calls}"
    );
    let metrics = a.simulator().host().metrics();
    let commits: u64 = metrics
        .store()
        .commits()
        .buckets()
        .map(|(_, count)| count)
        .sum();
    assert!(commits > 0 && metrics.store().commits().sum() > 0);
    assert_eq!(metrics.store().queued(), 0);
}

/// Both ways of `migrations/README.md`: a schema that is the simulator's, and one that somebody else migrates.
fn least_privileges(server: &Server) {
    drop(server.query(
        "CREATE ROLE svc_owner LOGIN; CREATE ROLE svc_user LOGIN;
         REVOKE CREATE ON DATABASE postgres FROM public;
         CREATE SCHEMA team AUTHORIZATION svc_owner",
    ));
    let url = |role: &str, schema: &str| {
        let url = server.fresh_store();
        let (base, _) = url.rsplit_once('=').expect("a schema");
        format!("{}={schema}", base.replace("tester@", &format!("{role}@")))
    };
    let refused = PostgresJournal::open(&url("svc_user", "team")).err();
    let refused = refused.map(|it| it.to_string()).unwrap_or_default();
    assert!(
        refused.contains("may not use the schema `team`"),
        "{refused}"
    );
    let all = |role: &str| {
        let replica = Replica::start(&url(role, "team"));
        let first = replica.pan("local_priv", "AAAAA0000A", Some("k"));
        assert_eq!(first.status, 200, "{first:?}");
        // Deleting, naming, working and leaving are allowed, too.
        let rotate = json!({ "environment": "live" });
        let rotated = replica.control("POST", "/accounts/local_priv/keys/rotate", Some(rotate));
        assert_eq!(rotated.status, 200, "{rotated:?}");
        let deleted = replica.control("DELETE", "/accounts/local_priv", None);
        assert_eq!(deleted.status, 204, "{deleted:?}");
        replica.stop();
    };
    all("svc_owner");
    drop(server.query(
        "GRANT USAGE ON SCHEMA team TO svc_user;
         GRANT SELECT, INSERT, UPDATE, DELETE ON ALL TABLES IN SCHEMA team TO svc_user",
    ));
    all("svc_user");
}

fn tls(plain: &Server) {
    let (authority, stranger) = (Authority::default(), Authority::default());
    let server = PostgresServer::start_with(&authority.server(&["127.0.0.1"]));
    let folder = Folder::new("tls");
    folder.write("ca.pem", &authority.pem());
    folder.write("stranger.pem", &stranger.pem());
    let file = |name: &str| folder.path().join(name).display().to_string();
    let open = |host: &str, mode: &str, trusted: Option<&str>| {
        let port = server.address().port();
        let url = format!("postgres://tester@{host}:{port}/postgres?sslmode={mode}");
        let url = match trusted {
            Some(name) => format!("{url}&sslrootcert={}", file(name)),
            None => url,
        };
        PostgresJournal::open(&url).map_err(|error| error.to_string())
    };
    for (host, mode, trusted) in [
        ("127.0.0.1", "verify-full", Some("ca.pem")),
        ("localhost", "verify-ca", Some("ca.pem")),
        ("127.0.0.1", "require", None),
        ("127.0.0.1", "prefer", None),
    ] {
        let _open = open(host, mode, trusted).expect(mode);
        let encrypted = "SELECT bool_and(ssl) FROM pg_stat_ssl JOIN pg_stat_activity USING (pid)
            WHERE application_name = 'svc-simulator'";
        assert_eq!(server.query(encrypted), "t", "{mode}");
    }
    for (host, mode, trusted, why) in [
        (
            "127.0.0.1",
            "verify-full",
            Some("stranger.pem"),
            "nobody whom this machine trusts",
        ),
        (
            "127.0.0.1",
            "require",
            Some("stranger.pem"),
            "`sslrootcert=`",
        ),
        (
            "127.0.0.1",
            "verify-full",
            None,
            "nobody whom this machine trusts",
        ),
        (
            "localhost",
            "verify-full",
            Some("ca.pem"),
            "not for localhost",
        ),
        ("127.0.0.1", "verify-full", Some("none.pem"), "none.pem"),
    ] {
        let refused = open(host, mode, trusted).err().unwrap_or_default();
        assert!(
            refused.contains(why),
            "{host} {mode} {trusted:?}: {refused}"
        );
    }
    let plain = plain
        .fresh_store()
        .replace("sslmode=disable", "sslmode=require");
    let refused = PostgresJournal::open(&plain).err().map(|it| it.to_string());
    let refused = refused.expect("it speaks no TLS");
    assert!(refused.contains("does not support TLS"), "{refused}");
}
