//! A proxy that only passes on, of the library that the recording one is made of.

use std::io::Write as _;
use std::sync::Arc;

use hyper::body::Incoming;
use hyper::server::conn::http1;
use hyper::service::service_fn;
use hyper::{Request, Response};
use hyper_util::client::legacy::Client;
use hyper_util::client::legacy::connect::HttpConnector;
use hyper_util::rt::{TokioExecutor, TokioIo};
use tokio::net::TcpListener;

type Upstream = Client<HttpConnector, Incoming>;

/// Passes on to this address until the process ends.
pub(crate) fn serve(to: &str) {
    let mut runtime = tokio::runtime::Builder::new_current_thread();
    let runtime = runtime.enable_all().build().expect("a runtime");
    runtime.block_on(async {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let address = listener.local_addr().expect("an address");
        writeln!(std::io::stderr(), "http://{address} ").expect("a reader");
        let mut connector = HttpConnector::new();
        connector.set_nodelay(true);
        let client: Upstream = Client::builder(TokioExecutor::new()).build(connector);
        let (client, to) = (Arc::new(client), Arc::new(to.to_owned()));
        loop {
            let (stream, _) = listener.accept().await.expect("a connection");
            stream.set_nodelay(true).expect("a socket");
            let (client, to) = (Arc::clone(&client), Arc::clone(&to));
            let service = service_fn(move |request| {
                let (client, to) = (Arc::clone(&client), Arc::clone(&to));
                async move { pass(&client, &to, request).await }
            });
            tokio::spawn(http1::Builder::new().serve_connection(TokioIo::new(stream), service));
        }
    });
}

async fn pass(
    client: &Upstream,
    to: &str,
    mut request: Request<Incoming>,
) -> Result<Response<Incoming>, hyper_util::client::legacy::Error> {
    let path = request.uri().path_and_query().map_or("/", |it| it.as_str());
    *request.uri_mut() = format!("http://{to}{path}").parse().expect("an address");
    client.request(request).await
}
