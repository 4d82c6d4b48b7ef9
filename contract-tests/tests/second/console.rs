//! The second implementation with its console: what the harness asks of a simulator's control API, and the
//! keys that a simulator has, are put into its own words. What it has no word for is answered with 404.

use std::collections::BTreeSet;
use std::sync::{Mutex, PoisonError};

use serde_json::{Value, json};
use svc_contract_tests::capture::{Channel, Request, Response, TransportError};
use svc_contract_tests::redact::Secret;
use svc_contract_tests::target::{HttpTarget, Target};

use crate::process::{Second, exchange};

/// The service as its owner sees it.
pub(crate) struct WithConsole<'s> {
    http: HttpTarget,
    second: &'s Second,
    /// The accounts that were opened for a check.
    opened: Mutex<BTreeSet<String>>,
}

/// The specification names no path of a bundle: one is called otherwise here.
const ROUTER: [&str; 2] = [
    "/v1/bundles/professional-router",
    "/v1/bundles/professional",
];

/// What is in a wallet when an account is opened, in INR.
const FULL: u32 = 100_000;

/// The beginning of keys, and what the service calls their environment.
const KEYS: [(&str, &str); 2] = [("svc_test_", "sandbox"), ("svc_live_", "live")];

/// The keys that are built into a simulator, and those here that are like them.
const BUILT_IN: [(&str, &str); 6] = [
    ("revoked", "revoked_k1"),
    ("blocked", "elsewhere_k1"),
    ("throttled", "limited_k1"),
    ("rotated", "default_k1"),
    ("rotated_old", "rotated_k1"),
    ("broke", "poor_k1"),
];

impl<'s> WithConsole<'s> {
    pub(crate) fn new(http: HttpTarget, second: &'s Second) -> Self {
        WithConsole {
            http,
            second,
            opened: Mutex::default(),
        }
    }

    /// The key in place of a simulator's; an account of its own is opened for one that would open one.
    fn key(&self, header: &str) -> Option<String> {
        let key = header.strip_prefix("Bearer ")?;
        let (prefix, _) = KEYS.into_iter().find(|(it, _)| key.starts_with(it))?;
        let name = key.strip_prefix(prefix)?;
        if let Some((_, own)) = BUILT_IN.into_iter().find(|(it, _)| *it == name) {
            return Some(format!("Bearer {prefix}{own}"));
        }
        let opens = |name: &str| name.starts_with("local") && !name.contains(['.', '~']);
        if opens(name) {
            let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
            if opened.insert(name.to_owned()) {
                self.open(name);
            }
        }
        None
    }

    /// Tells the service's console something; what it says to that.
    fn tell(&self, path: &str, what: &Value) -> Value {
        let said = exchange(&self.second.console, "POST", path, "", &what.to_string());
        serde_json::from_str(&said).expect("an answer of JSON")
    }

    /// An account that nothing was done with.
    fn open(&self, name: &str) {
        let account = json!({ "name": name, "wallet": FULL });
        self.tell("/accounts/add", &account);
        for (prefix, env) in KEYS {
            let key = format!("{prefix}{name}");
            let key = json!({ "key": key, "env": env, "account": name });
            self.tell("/keys/add", &key);
        }
    }

    fn console(&self, request: &Request) -> Option<Value> {
        let body: Value = serde_json::from_slice(&request.body).unwrap_or_default();
        let rest = request.path.strip_prefix("/control/accounts/")?;
        let (account, what) = rest.split_once('/').unwrap_or((rest, ""));
        match what {
            "" => {
                let state = self.tell("/state", &json!({}));
                let of = &state["accounts"][account];
                let (balance, held) = (&of["balance"], &of["held"]);
                let spent = balance.as_f64().map(|left| f64::from(FULL) - left);
                let live =
                    json!({ "balance": balance, "held": held, "charged": spent, "toppedUp": FULL });
                Some(json!({ "live": live }))
            }
            "reset" => {
                self.open(account);
                let mut opened = self.opened.lock().unwrap_or_else(PoisonError::into_inner);
                opened.insert(account.to_owned());
                Some(json!({}))
            }
            "clock" if body["freeze"].is_boolean() => Some(json!({})),
            "clock" => {
                let by = body["advance"].as_str()?.strip_suffix("ms")?;
                let by: f64 = by.parse().ok()?;
                Some(self.tell("/clock", &json!({ "advance": by / 1000.0 })))
            }
            "wallet" => {
                let set = json!({ "account": account, "set": body["balance"] });
                let top = json!({ "account": account, "topup": body["topUp"] });
                let change = if body["balance"].is_null() { top } else { set };
                Some(self.tell("/wallet", &change))
            }
            "allowlist" => {
                for (prefix, env) in KEYS {
                    let key = format!("{prefix}{account}");
                    let key = json!({ "key": key, "env": env, "account": account, "allow": body["networks"] });
                    self.tell("/keys/add", &key);
                }
                Some(json!({}))
            }
            "keys/rotate" => {
                let key = format!("svc_test_{account}");
                let new = format!("{key}.2");
                Some(self.tell("/keys/rotate", &json!({ "key": key, "new": new })))
            }
            _ => None,
        }
    }
}

impl Target for WithConsole<'_> {
    async fn send(&self, request: &Request) -> Result<Response, TransportError> {
        if request.channel == Channel::Console {
            let answer = self.console(request);
            return Ok(Response {
                status: if answer.is_some() { 200 } else { 404 },
                headers: Vec::new(),
                body: answer.unwrap_or_default().to_string().into_bytes(),
            });
        }
        let mut request = request.clone();
        if request.path == ROUTER[0] {
            ROUTER[1].clone_into(&mut request.path);
        }
        let header = request.authorization.as_ref().map(Secret::expose);
        if let Some(own) = header.and_then(|header| self.key(header)) {
            request.authorization = Some(Secret::new(own));
        }
        self.http.send(&request).await
    }
}
