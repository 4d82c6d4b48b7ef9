//! What a form came to is said on the page that it leads to: once, and not to whoever else has the address.

use super::super::control::Ruled;
use super::submit;

#[test]
fn every_forms_message_is_said_once_and_is_no_part_of_the_address() {
    let ruled = Ruled::new();
    let rule = "toml=%5B%5Bscenario%5D%5D%0Aname%3D%22x%22%0Aoperation%3D%22verify.identity.pan%22%0Athen%3D%7Bsuccess%3D%7B%7D%7D";
    for (path, form, said) in [
        ("/accounts", "id=alpha", "The account was opened."),
        (
            "/accounts/local",
            "action=topUp&amount=5",
            "The wallet was topped up.",
        ),
        ("/time/local", "action=freeze", "The clock shows"),
        (
            "/scenarios",
            &*format!("account=local&{rule}"),
            "Added as added-1.",
        ),
        (
            "/webhooks/receiver",
            "account=local&url=http://127.0.0.1:9/&secret=whsec_x",
            "Webhooks of account local go to",
        ),
    ] {
        let (to, page) = submit(&ruled, path, form);
        assert!(page.body.contains(said), "{path}: {}", page.body);
        assert!(!to.contains("done="), "{to}");
        let ended = page.header("set-cookie").expect("the message ends");
        assert!(ended.contains("Max-Age=0"), "{ended}");
        assert!(!ruled.get(&to).body.contains(said), "{path}");
    }
}
