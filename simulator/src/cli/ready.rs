//! What a person sees when the simulator is up: addresses, keys, a first call.

use svc_fixtures::contract::Contract;

use crate::engine::call::request::Environment;
use crate::http::first_call::{FirstCall, newest_key, working_account};
use crate::http::{ListenerAddresses, url};
use crate::scenario::AccountConfig;

/// The lines printed when all listeners are bound.
pub(super) fn block(
    contract: &Contract,
    accounts: &[AccountConfig],
    addresses: &ListenerAddresses,
) -> String {
    let key =
        |environment| working_account(accounts).map(|account| newest_key(account, environment));
    let with_key =
        |environment| key(environment).map_or_else(String::new, |key| format!("   key {key}"));
    let mut text = format!(
        "svc-simulator is ready\n  console   {}   reference at /docs, OpenAPI at /openapi.json\n  \
         sandbox   {}{}\n  live      {}{}\n",
        url(addresses.console),
        url(addresses.sandbox),
        with_key(Environment::Test),
        url(addresses.live),
        with_key(Environment::Live),
    );
    if let Some(call) = FirstCall::find(contract, accounts) {
        text += &format!(
            "first call ({}):\n{}\n",
            call.title,
            call.curl(&url(addresses.sandbox))
        );
    }
    text
}
