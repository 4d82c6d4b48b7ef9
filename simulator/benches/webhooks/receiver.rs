//! A receiver that takes nothing: reads each request and answers 500. On a thread of its own.

use axum::Router;
use axum::body::Bytes;
use axum::http::StatusCode;
use axum::routing::post;

/// Starts it. Gives its URL.
pub(crate) fn start() -> String {
    let listener = std::net::TcpListener::bind("127.0.0.1:0").expect("a free port");
    let address = listener.local_addr().expect("it is bound");
    std::thread::spawn(move || {
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_all()
            .build()
            .expect("a runtime");
        runtime.block_on(async {
            listener.set_nonblocking(true).expect("a socket that can");
            let listener = tokio::net::TcpListener::from_std(listener).expect("a bound socket");
            let refuse = |_: Bytes| async { StatusCode::INTERNAL_SERVER_ERROR };
            let router = Router::new().route("/", post(refuse));
            axum::serve(listener, router).await.expect("it serves");
        });
    });
    format!("http://{address}/")
}
