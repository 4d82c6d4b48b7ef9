//! The console's own pages: where everything is, and which input leads where. Plain HTML without
//! scripts.

use super::first_call::{FirstCall, newest_key};
use super::operations::{Cell, Listing, NAMED_COLUMNS};
use super::{ListenerAddresses, url};
use crate::engine::call::request::Environment;
use crate::engine::call::rules::Rules;
use crate::scenario::AccountConfig;

/// The page.
pub(super) fn home(
    rules: &Rules,
    accounts: &[AccountConfig],
    addresses: &ListenerAddresses,
) -> String {
    let mut html = String::from(HEAD);
    html += "<h1>Verification Service simulator</h1>\n<table>\n";
    html += "<tr><th>Listener<th>Address<th>Keys begin with\n";
    for (name, address, environment) in [
        ("Sandbox", addresses.sandbox, Environment::Test),
        ("Live", addresses.live, Environment::Live),
    ] {
        let (url, prefix) = (url(address), environment.key_prefix());
        html += &format!("<tr><td>{name}<td><code>{url}</code><td><code>{prefix}</code>\n");
    }
    html += "</table>\n";
    if let Some(call) = FirstCall::find(&rules.contract, accounts) {
        let curl = escaped(&call.curl(&url(addresses.sandbox)));
        html += &format!(
            "<h2>First call: {}</h2>\n<pre>{curl}</pre>\n",
            escaped(&call.title)
        );
    }
    html += "<h2>Accounts</h2>\n<table>\n<tr><th>Account<th>Keys<th>What it is for\n";
    for account in accounts {
        let keys = Environment::ALL.map(|environment| newest_key(account, environment));
        let [test, live] = keys.map(|key| escaped(&key));
        let (id, about) = (escaped(&account.id), escaped(&about(account)));
        html += &format!("<tr><td>{id}<td><code>{test}</code><br><code>{live}</code><td>{about}\n");
    }
    html += "</table>\n<h2>Reference</h2>\n<ul>\n";
    html += "<li><a href=\"/operations\">Operations and their fixed inputs</a>\n";
    html += "<li><a href=\"/docs/\">Reference page</a>\n";
    html += "<li><a href=\"/openapi.json\">OpenAPI document</a>\n";
    html += "<li><a href=\"/control/health\">Health</a>\n</ul>\n";
    html += "<h2>Control API</h2>\n<p>Accounts, clocks, wallets, webhooks, deliveries and scenarios can be \
             changed while the simulator runs, below <code>/control/</code>: the \
             <a href=\"/docs/\">reference page</a> describes it with examples.\n";
    html
}

/// The page of operations.
pub(super) fn operations(listing: &Listing<'_>) -> String {
    let mut html = String::from(HEAD);
    html += "<p><a href=\"/\">Verification Service simulator</a>\n<h1>Operations</h1>\n";
    html += "<p>What ends in which outcome. Of a URL only the end matters.\n";
    table(&mut html, &listing.columns(), &listing.table());
    html += "<h2>Inputs that a scenario names and that succeed</h2>\n";
    table(&mut html, &NAMED_COLUMNS, &listing.named());
    html
}

fn table<C: AsRef<[Cell]>>(html: &mut String, columns: &[impl AsRef<str>], rows: &[C]) {
    *html += "<table>\n<tr>";
    for column in columns {
        *html += &format!("<th>{}", escaped(column.as_ref()));
    }
    *html += "\n";
    for row in rows {
        *html += "<tr>";
        for cell in row.as_ref() {
            let text = escaped(&cell.text);
            *html += &match cell.is_code {
                true => format!("<td><code>{text}</code>"),
                false => format!("<td>{text}"),
            };
        }
        *html += "\n";
    }
    *html += "</table>\n";
}

const HEAD: &str = "<!doctype html>\n<html lang=\"en\">\n<meta charset=\"utf-8\">\n\
    <meta name=\"viewport\" content=\"width=device-width\">\n\
    <title>Verification Service simulator</title>\n\
    <style>body{font:16px/1.5 system-ui,sans-serif;max-width:60rem;margin:2rem auto;padding:0 1rem}\
    table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:.3rem .6rem;text-align:left}\
    pre{background:#f4f4f4;padding:.8rem;overflow-x:auto}</style>\n";

/// What is special about an account, told from its config.
fn about(account: &AccountConfig) -> String {
    let mut parts = vec![format!("live wallet {} INR", account.live_wallet)];
    if account.keys.first().is_some_and(|key| key.revoked) {
        parts.push("its keys are revoked".to_owned());
    }
    if !account.allowlist.is_empty() {
        let networks: Vec<String> = account.allowlist.iter().map(ToString::to_string).collect();
        parts.push(format!("works from {} only", networks.join(", ")));
    }
    if let Some(limit) = account.rate_limit {
        parts.push(format!(
            "{} calls a second, {} at once",
            limit.per_second, limit.burst
        ));
    }
    for old in account.keys.iter().skip(1) {
        parts.push(format!("{} is its rotated key", old.name));
    }
    if account.copies {
        let key = newest_key(account, Environment::Test);
        parts.push(format!("a key such as {key}_worker1 opens a copy of it"));
    }
    parts.join("; ")
}

fn escaped(text: &str) -> String {
    let mut out = String::with_capacity(text.len());
    for character in text.chars() {
        match character {
            '&' => out += "&amp;",
            '<' => out += "&lt;",
            '>' => out += "&gt;",
            '"' => out += "&quot;",
            '\'' => out += "&#39;",
            other => out.push(other),
        }
    }
    out
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_text_becomes_markup() {
        assert_eq!(escaped("<a href='\"&"), "&lt;a href=&#39;&quot;&amp;");
    }
}
