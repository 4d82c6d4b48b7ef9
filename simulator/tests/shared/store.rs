//! The store itself: its versions, and what happens when it is lost.

use std::sync::Arc;

use svc_simulator::Simulator;
use svc_simulator::host::journal::PostgresJournal;
use svc_test_support::PostgresServer;

use crate::replica::Replica;
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
    let replica = Replica::start(&server.fresh_store());
    for round in 1..=30 {
        let end = "SELECT count(pg_terminate_backend(pid)) FROM pg_stat_activity
            WHERE application_name = 'svc-simulator' AND query LIKE '%wanted%'";
        drop(server.query(end));
        let answer = replica.pan("local_t", "AAAAA0000A", None);
        assert_eq!(answer.status, 200, "{answer:?}");
        let calls = replica.get("local_t", "/v1/usage").body["data"]["totals"]["calls"].clone();
        assert_eq!(calls, round);
    }
}
