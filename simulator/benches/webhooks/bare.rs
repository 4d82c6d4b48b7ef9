//! The peer: as little as a client can do. One keep-alive connection, the same bytes again and again.

use std::time::{Duration, Instant};

use bytes::Bytes;
use http_body_util::{BodyExt as _, Full};
use hyper::Request;
use hyper::client::conn::http1;
use hyper_util::rt::TokioIo;
use tokio::net::TcpStream;

/// Posts a body so many times, one after the other.
pub(crate) async fn post(url: String, body: Bytes, times: usize) -> Duration {
    let address = url
        .trim_start_matches("http://")
        .trim_end_matches('/')
        .to_owned();
    let stream = TcpStream::connect(&address).await.expect("it listens");
    stream.set_nodelay(true).expect("a socket that can");
    let (mut sender, connection) = http1::handshake(TokioIo::new(stream))
        .await
        .expect("a connection");
    tokio::spawn(connection);
    let began = Instant::now();
    for _ in 0..times {
        let request = Request::post("/")
            .header("host", &address)
            .header("content-type", "application/json")
            .body(Full::new(body.clone()));
        sender.ready().await.expect("the connection stays");
        let answer = sender.send_request(request.expect("a request")).await;
        let answer = answer.expect("an answer");
        assert_eq!(answer.status(), 500);
        answer.into_body().collect().await.expect("its body");
    }
    began.elapsed()
}
