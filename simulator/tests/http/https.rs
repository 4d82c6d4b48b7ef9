//! Webhooks to receivers whose addresses begin with `https://`: whom the simulator trusts, what it shows
//! of itself, and the proxy it goes through.

use std::future::ready;
use std::net::{IpAddr, Ipv4Addr};
use std::sync::Arc;
use std::time::Duration;

use bytes::Bytes;
use svc_simulator::engine::state::delivery::AttemptOutcome;
use svc_simulator::host::transport::{
    AddressLookup, HttpTransport, NameResolver, TargetPolicy, Transport, TransportLimits,
    WebhookRequest,
};
use svc_test_support::{Authority, Behaviour, Folder, IssuedCertificate, Server, TlsFront};
use svc_tls::Tls;

const GOOD: &[u8] = b"HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok";

/// What speaks TLS and trusts an authority, and shows this certificate.
fn tls(trusted: &Authority, own: Option<&IssuedCertificate>) -> Tls {
    let folder = Folder::new("webhook-tls");
    let file = |name: &str, pem: String| {
        folder.write(name, &pem);
        folder.path().join(name)
    };
    let (trusted, own) = (
        file("ca.pem", trusted.pem()),
        own.map(|own| file("own.pem", own.pem())),
    );
    Tls::read(Some(&trusted), own.as_deref()).expect("PEM")
}

fn transport(tls: Tls) -> HttpTransport {
    // A plain receiver that is spoken to in TLS says nothing until then.
    let limits = TransportLimits::within(Duration::from_secs(2));
    let transport =
        HttpTransport::with_resolver(limits, TargetPolicy::loopback_only(), Arc::new(Names));
    transport.expect("a client").with_tls(tls)
}

/// The names that are allowed are of this machine, every other one is of some other.
struct Names;

impl NameResolver for Names {
    fn addresses(&self, name: &str) -> AddressLookup {
        let address = match name {
            "localhost" | "allowed.example" | "spared.example" => Ipv4Addr::LOCALHOST,
            _ => Ipv4Addr::new(10, 0, 0, 7),
        };
        Box::pin(ready(Ok(vec![IpAddr::V4(address)])))
    }
}

/// What comes of a posting, in a line.
async fn post(transport: &HttpTransport, url: &str) -> String {
    let request = WebhookRequest {
        url: url.to_owned(),
        signature: None,
        body: Bytes::from_static(b"{}"),
    };
    match transport.post(request).await.answered {
        AttemptOutcome::Status(status) => status.to_string(),
        AttemptOutcome::Nothing(reason) => reason,
    }
}

#[tokio::test]
async fn a_receiver_whose_authority_is_trusted_gets_its_posting() {
    let (authority, receiver) = (
        Authority::default(),
        Server::behaving(Behaviour::Answers(GOOD)),
    );
    let front = TlsFront::of(receiver.address, &authority.server(&["localhost"]));
    let transport = transport(tls(&authority, None));
    for _ in 0..2 {
        assert_eq!(post(&transport, &front.url).await, "200");
    }
    assert_eq!(receiver.sent().len(), 2);
    // Plain receivers are spoken to as before.
    assert_eq!(post(&transport, &receiver.url).await, "200");
}

#[tokio::test]
async fn a_receiver_may_ask_for_the_simulators_certificate() {
    let (authority, receiver) = (
        Authority::default(),
        Server::behaving(Behaviour::Answers(GOOD)),
    );
    let own = authority.server(&["localhost"]);
    let front = TlsFront::of_known_clients(receiver.address, &own, &authority);
    let shown = authority.client();
    let with = transport(tls(&authority, Some(&shown)));
    assert_eq!(post(&with, &front.url).await, "200");
    let without = post(&transport(tls(&authority, None)), &front.url).await;
    insta::assert_snapshot!(without, @"the server asks for a client certificate; give one with `--webhook-client-cert`");
}

#[tokio::test]
async fn a_receiver_that_cannot_be_trusted_gets_nothing() {
    let (authority, receiver) = (
        Authority::default(),
        Server::behaving(Behaviour::Answers(GOOD)),
    );
    let strangers = Authority::default();
    let certificates = [
        strangers.server(&["localhost"]),
        authority.expired(&["localhost"]),
        authority.server(&["other.example"]),
    ];
    let transport = transport(tls(&authority, None));
    let mut reasons = Vec::new();
    for certificate in &certificates {
        let front = TlsFront::of(receiver.address, certificate);
        reasons.push(post(&transport, &front.url).await);
    }
    let plain = Server::behaving(Behaviour::Speaks(b"220 mail.example ready\r\n"));
    reasons.push(post(&transport, &plain.url.replace("http:", "https:")).await);
    insta::assert_snapshot!(reasons.join("\n"), @"
    nobody whom this machine trusts has issued the server's certificate; name a file with its authority by `--webhook-ca-file` or SSL_CERT_FILE
    the server's certificate has expired at 2020-01-01T00:00:00Z
    the server's certificate is for other.example, not for localhost
    what answers there speaks no TLS
    ");
    assert_eq!(receiver.sent().len(), 0);
}

#[tokio::test]
async fn a_proxy_is_asked_only_for_names_that_lead_to_allowed_addresses() {
    let refuses = b"HTTP/1.1 403 Forbidden\r\nContent-Length: 0\r\n\r\n";
    let proxy = Server::behaving(Behaviour::AnswersOnce(refuses));
    let tls = tls(&Authority::default(), None);
    let transport = transport(tls.with_proxy(&proxy.url, "spared.example"));
    post(&transport, "https://allowed.example/webhooks").await;
    let asked = proxy.sent();
    assert_eq!(asked.len(), 1);
    assert!(
        asked[0].text.starts_with("CONNECT allowed.example:443 "),
        "{}",
        asked[0].text
    );
    let refused = post(&transport, "https://elsewhere.example/").await;
    assert!(
        refused.starts_with("refused by policy: 10.0.0.7"),
        "{refused}"
    );
    post(&transport, "https://spared.example/").await;
    post(&transport, &proxy.url.replace("http:", "https:")).await;
    let asked = proxy.sent();
    assert!(
        asked.iter().filter(|it| it.method == "CONNECT").count() == 1,
        "{asked:?}"
    );
}
