//! The peer: as little as a server of this call can do. Axum, serde both ways, a map of keys, and an
//! envelope of the same size.

use std::collections::HashMap;
use std::io::{Result, Write as _};
use std::sync::Arc;

use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::routing::post;
use axum::{Json, Router};
use foldhash::fast::FixedState;
use serde::{Deserialize, Serialize};

/// Makes the bench serve instead of measure.
pub(crate) const FLAG: &str = "--bare-server";

#[derive(Deserialize)]
struct Request {
    pan: String,
    name: Option<String>,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Envelope {
    success: bool,
    verification_id: &'static str,
    reference_id: Option<String>,
    endpoint: &'static str,
    status: &'static str,
    data: Data,
    billing: Billing,
    meta: Meta,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Data {
    pan: String,
    name: Option<String>,
    name_match_score: f64,
    name_on_pan: &'static str,
    category: &'static str,
    pan_status: &'static str,
    last_updated: &'static str,
}

#[derive(Serialize)]
struct Billing {
    charged: bool,
    amount: i64,
    currency: &'static str,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Meta {
    created_at: &'static str,
    environment: &'static str,
    latency_ms: u32,
}

type Keys = Arc<HashMap<String, u32, FixedState>>;

async fn pan(
    State(keys): State<Keys>,
    headers: HeaderMap,
    Json(request): Json<Request>,
) -> std::result::Result<Json<Envelope>, StatusCode> {
    let key = headers
        .get("authorization")
        .and_then(|value| value.to_str().ok());
    let key = key
        .and_then(|value| value.strip_prefix("Bearer "))
        .and_then(|key| keys.get(key));
    let latency_ms = *key.ok_or(StatusCode::UNAUTHORIZED)?;
    Ok(Json(Envelope {
        success: true,
        verification_id: "svcv_00000000000000000000000000",
        reference_id: None,
        endpoint: "verify.identity.pan",
        status: "completed",
        data: Data {
            pan: request.pan,
            name: request.name,
            name_match_score: 1.0,
            name_on_pan: "ASHA RAO",
            category: "Individual",
            pan_status: "VALID",
            last_updated: "2024-06-01",
        },
        billing: Billing {
            charged: false,
            amount: 0,
            currency: "INR",
        },
        meta: Meta {
            created_at: "2027-01-15T08:00:00.000Z",
            environment: "test",
            latency_ms,
        },
    }))
}

/// Serves until it is killed, on a free port that it prints.
pub(crate) fn serve() -> Result<()> {
    let runtime = tokio::runtime::Builder::new_multi_thread()
        .enable_all()
        .build()?;
    runtime.block_on(async {
        let listener = svc_test_support::taken_address();
        listener.set_nonblocking(true)?;
        let listener = tokio::net::TcpListener::from_std(listener)?;
        writeln!(std::io::stdout(), "{}", listener.local_addr()?)?;
        let keys: Keys = Arc::new(
            [("svc_test_local_bench".to_owned(), 250)]
                .into_iter()
                .collect(),
        );
        let router = Router::new()
            .route(super::pairs::PAN, post(pan))
            .with_state(keys);
        axum::serve(listener, router).await
    })
}
