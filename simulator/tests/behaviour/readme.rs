//! What the README and the book say of what is built in.

/// The player of the book makes this call; here it is the one that `serve` prints.
#[test]
fn the_call_printed_at_the_start_is_the_first_of_the_readme() {
    let readme = include_str!("../../../README.md");
    let shown = readme.lines().find(|line| line.starts_with("curl "));
    let contract = svc_fixtures::contract::Contract::built_in();
    let accounts = svc_simulator::scenario::read_accounts(&svc_simulator::scenario::accounts());
    let call =
        svc_simulator::http::first_call::FirstCall::find(&contract, &accounts.expect("accounts"));
    let printed = call.expect("a call").curl("http://127.0.0.1:8801");
    assert_eq!(Some(printed.as_str()), shown);
}
