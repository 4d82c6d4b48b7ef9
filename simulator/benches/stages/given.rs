//! What the stages are given: the built-in rules, an account, and calls made from the contract's rows, so
//! that no operation is named here.

use std::net::{IpAddr, Ipv4Addr};
use std::sync::LazyLock;

use jiff::Timestamp;
use svc_fixtures::contract::{Environment, Field, Operation, OperationIndex, Paise};
use svc_fixtures::json::Json;
use svc_fixtures::sample::{self, Extent};
use svc_simulator::engine::call::reply::Reply;
use svc_simulator::engine::call::request::credential;
use svc_simulator::engine::call::request::{Body, Call, Header, Headers};
use svc_simulator::engine::call::rules::{Files, Rules};
use svc_simulator::engine::state::account::{Account, Settings};
use svc_simulator::engine::state::clock::AccountClock;
use svc_simulator::engine::state::entry::Entry;
use svc_simulator::engine::state::ids::Seed;
use svc_simulator::engine::{self, Decision, Prepared};
use svc_simulator::http::first_call::{FirstCall, newest_key, working_account};
use svc_simulator::scenario::{AccountConfig, accounts, read_accounts};

pub(crate) const START: Timestamp = Timestamp::constant(1_800_000_000, 0);
/// So many different inputs are asked in turn where one alone would always be in the processor's caches.
pub(crate) const INPUTS: usize = 4096;

/// What a call is about.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Person {
    /// The one of the documents' samples.
    Sample,
    /// One whose values are drawn from the input, of this number.
    Other(usize),
}

/// The kinds of calls that are decided.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Sandbox,
    /// With hold and commit.
    Live,
    /// Its idempotency key was used for the same before.
    Replay,
    /// Without what it must have.
    Refused,
}

impl Kind {
    pub(crate) const ALL: [Kind; 4] = [Kind::Sandbox, Kind::Live, Kind::Replay, Kind::Refused];

    pub(crate) fn environment(self) -> Environment {
        match self {
            Kind::Live => Environment::Live,
            Kind::Sandbox | Kind::Replay | Kind::Refused => Environment::Test,
        }
    }

    /// The call of this kind about somebody.
    pub(crate) fn asked(self, person: Person) -> Asked {
        let (environment, usual) = (self.environment(), usual());
        Asked {
            environment,
            authorization: format!("Bearer {}", newest_key(config(), environment)),
            idempotency_key: (self == Kind::Replay).then(|| identifier(person)),
            path: sample::path(usual),
            body: match self {
                Kind::Refused => "{}".to_owned(),
                Kind::Sandbox | Kind::Live | Kind::Replay => body(person).to_string(),
            },
        }
    }

    /// Makes sure that what is measured is what it is called.
    pub(crate) fn assert_is(self, reply: &Reply) {
        let expected = match self {
            Kind::Sandbox | Kind::Live => (200, false),
            Kind::Replay => (200, true),
            Kind::Refused => (400, false),
        };
        assert_eq!((reply.status, reply.replay), expected, "{self:?}");
    }
}

/// A request with all that it points to.
pub(crate) struct Asked {
    environment: Environment,
    authorization: String,
    idempotency_key: Option<String>,
    path: String,
    pub(crate) body: String,
}

impl Asked {
    pub(crate) fn with_body(self, body: &Json<'_>) -> Self {
        let body = body.to_string();
        Asked { body, ..self }
    }

    pub(crate) fn call(&self) -> Call<'_> {
        let key = self.idempotency_key.as_deref().map(str::as_bytes);
        Call {
            environment: self.environment,
            peer: IpAddr::V4(Ipv4Addr::LOCALHOST),
            method: "POST",
            path: &self.path,
            query: "",
            headers: Headers {
                authorization: Header::One(self.authorization.as_bytes()),
                content_type: Header::One(b"application/json"),
                idempotency_key: key.map_or(Header::Absent, Header::One),
                ..Headers::default()
            },
            body: Body::Whole(self.body.as_bytes()),
        }
    }
}

/// The built-in rules.
pub(crate) fn rules() -> &'static Rules {
    static RULES: LazyLock<Rules> = LazyLock::new(|| {
        let rules = Rules::read(&Files::built_in(), Seed::new("bench"));
        rules.expect("the built-in files have no mistake")
    });
    &RULES
}

/// The operation that a newcomer is shown first: one that is answered at once and needs no call before it.
pub(crate) fn usual() -> &'static Operation {
    &rules().contract.operations[usual_index()]
}

/// Its place in the contract.
pub(crate) fn usual_index() -> OperationIndex {
    let first = FirstCall::find(&rules().contract, std::slice::from_ref(config()));
    let first = first.expect("there is one for everybody");
    let found = rules().router.operation_at(&first.path);
    found.expect("its path leads to it")
}

/// Its first identifying field.
pub(crate) fn subject() -> &'static Field {
    let first = usual().identifiers().next();
    first.expect("it is about somebody").1
}

/// The value of that field.
pub(crate) fn identifier(person: Person) -> String {
    let sample = sample::value(&rules().contract, subject());
    let mut text = sample.as_text().expect("a text").to_owned().into_bytes();
    let Person::Other(number) = person else {
        return String::from_utf8(text).expect("it was text");
    };
    // From the left, so that what is fixed by its last digits is never meant.
    let mut left = number + 1;
    for byte in &mut text {
        let (first, count) = match byte {
            b'A'..=b'Z' => (b'A', 26),
            b'1'..=b'9' => (b'1', 9),
            _ => break,
        };
        let value = usize::from(*byte - first) + left;
        *byte = first + u8::try_from(value % count).expect("below 26");
        left = value / count;
    }
    assert_eq!(left, 0, "there are not so many different ones");
    String::from_utf8(text).expect("still ASCII")
}

/// The body that the row itself gives as a sample, about somebody.
pub(crate) fn body(person: Person) -> Json<'static> {
    let mut body = sample::body(&rules().contract, usual(), Extent::Required);
    body.set(subject().name.as_str(), identifier(person).into());
    body
}

/// The configuration of an account that works, with money that never ends.
pub(crate) fn config() -> &'static AccountConfig {
    static TERMS: LazyLock<AccountConfig> = LazyLock::new(|| {
        let all = read_accounts(&accounts()).expect("the built-in accounts have no mistake");
        let working = working_account(&all).expect("there is an account for everybody");
        AccountConfig {
            live_wallet: Paise(1_000_000_000_000),
            ..working.clone()
        }
    });
    &TERMS
}

/// Such an account, new.
pub(crate) fn account() -> Account {
    let opening = Account::opening(config().clone(), AccountClock::default(), START);
    let settings = Settings::of(&rules().contract.service);
    Account::rebuild(settings, [opening]).expect("it begins with its opening")
}

/// Such an account that already keeps as many calls as it may: each further one makes it forget one.
pub(crate) fn seasoned(kind: Kind) -> Account {
    let mut account = account();
    let count = account.settings.limits.calls + 1;
    for number in 0..count {
        let (_, entry) = answered(&account, &kind.asked(Person::Other(number)));
        account.apply(entry.expect("something changes"));
    }
    let verifications = &account.environment(kind.environment()).verifications;
    // Of calls with idempotency keys fewer fit into an account's memory.
    let (kept, evicted) = (verifications.totals().logged, verifications.evicted().calls);
    assert!(
        kept as u64 + evicted == count as u64 && evicted > 0,
        "{kind:?}: {kept}, {evicted}"
    );
    account
}

/// A call prepared for such an account.
pub(crate) fn prepared<'a>(call: &'a Call<'a>) -> Prepared<'a> {
    let credential = credential(call).expect("a key is presented");
    engine::prepare(
        rules(),
        &config().id,
        credential,
        call,
        Timestamp::UNIX_EPOCH,
    )
}

/// What an account answers, and what changes.
pub(crate) fn answered(account: &Account, asked: &Asked) -> (Reply, Option<Entry>) {
    let call = asked.call();
    match engine::decide(rules(), account, &prepared(&call), START) {
        Decision::Answered { reply, entry } => (reply, entry),
        other => panic!("it is answered at once: {other:?}"),
    }
}
