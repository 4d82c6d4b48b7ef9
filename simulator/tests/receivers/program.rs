//! Deliveries that are signed here, and how they are posted to a program.

use std::net::SocketAddr;

use svc_simulator::engine::state::signature::Signature;
use svc_simulator::host::clock::Clock;
use svc_test_support::Client;

pub(crate) const SECRET: &str = "whsec_sample";

/// A request that is signed rightly, to be spoilt.
#[derive(Debug, Clone)]
pub(crate) struct Delivery {
    pub(crate) headers: Vec<String>,
    pub(crate) body: Vec<u8>,
}

pub(crate) fn now_s() -> i64 {
    Clock::machine().real().as_second()
}

/// An envelope that another print would change.
pub(crate) fn envelope(id: &str) -> Vec<u8> {
    format!(
        "{{\"success\":true,\"verificationId\":\"{id}\",\"status\":\"completed\",\"data\":{{\"verificationId\":\"no\",\
         \"name\":\"ZO\u{cb} \\u0052AO\\n\",\"url\":\"http:\\/\\/a\", \"score\":1.0,\"list\":[{{}},[\"}}\"],null]}}}}\n"
    )
    .into_bytes()
}

/// A genuine delivery of this verification.
pub(crate) fn genuine(id: &str) -> Delivery {
    signed(SECRET, now_s(), envelope(id))
}

pub(crate) fn signed(secret: &str, at_s: i64, body: Vec<u8>) -> Delivery {
    Delivery {
        headers: vec![Signature::sign(secret, at_s, &body).to_string()],
        body,
    }
}

/// Posts it and gives back the status.
pub(crate) fn post(to: SocketAddr, delivery: &Delivery) -> u16 {
    ask(to, &request(to, delivery))
}

/// Posts it so many times, all of which end at the same moment, and gives back the statuses.
pub(crate) fn post_at_once(to: SocketAddr, delivery: &Delivery, times: usize) -> Vec<u16> {
    let request = request(to, delivery);
    let (last, most) = request.split_last().expect("a request");
    let mut clients: Vec<Client> = (0..times).map(|_| write(to, most)).collect();
    for client in &mut clients {
        client.write([*last]);
    }
    clients.iter_mut().map(Client::status).collect()
}

/// Writes a request and gives back the status of the answer.
pub(crate) fn ask(to: SocketAddr, request: &[u8]) -> u16 {
    write(to, request).status()
}

fn request(to: SocketAddr, delivery: &Delivery) -> Vec<u8> {
    let mut request = format!(
        "POST /webhooks HTTP/1.1\r\nHost: {to}\r\nConnection: close\r\nContent-Type: application/json\r\n\
         Content-Length: {}\r\n",
        delivery.body.len()
    )
    .into_bytes();
    for header in &delivery.headers {
        request.extend(format!("x-service-signature: {header}\r\n").bytes());
    }
    request.extend(b"\r\n");
    request.extend(&delivery.body);
    request
}

fn write(to: SocketAddr, bytes: &[u8]) -> Client {
    let mut client = Client::to(to);
    client.write(bytes);
    client
}
