//! What a form came to is said on the page that it leads to: once, and not to whoever else has the address.

use super::super::control::{Ruled, raw};
use super::{FORM, submit};

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

fn path_of(address: &str) -> &str {
    address.split('?').next().expect("a path")
}

#[test]
fn a_message_is_said_at_the_address_that_its_form_led_to_and_stays_until_that_is_asked_for() {
    let ruled = Ruled::new();
    let [opened, frozen] =
        [("/accounts", "id=alpha"), ("/time/local", "action=freeze")].map(|(path, form)| {
            let answer = ruled.raw("POST", path, FORM, form);
            let set = answer.header("set-cookie").expect("a message").to_owned();
            let to = answer.header("location").expect("it leads on").to_owned();
            assert!(set.contains(&format!("; Path={};", path_of(&to))), "{set}");
            (to, set.split(';').next().expect("a pair").to_owned())
        });
    let get = |path: &str| {
        let headers = format!(
            "Host: localhost\r\nCookie: {}; a=b; {}\r\n",
            opened.1, frozen.1
        );
        raw(ruled.served.addresses.console, "GET", path, &headers, "")
    };
    for (path, said) in [
        (&*opened.0, Some("The account was opened.")),
        (&*frozen.0, Some("The clock shows")),
        ("/accounts", None),
        ("/accounts/alpha?a=b", None),
        ("/calls", None),
    ] {
        let page = get(path);
        let status = page.body.split("id=\"status\"").nth(1).expect("a status");
        let status = status.split("</div>").next().expect("its end");
        assert_eq!(said.is_some(), status.contains("<p"), "{path}: {status}");
        assert!(
            status.contains(said.unwrap_or_default()),
            "{path}: {status}"
        );
        let ended = page.header("set-cookie");
        assert_eq!(said.is_some(), ended.is_some(), "{path}: {ended:?}");
        let its_own = format!("; Path={}; Max-Age=0;", path_of(path));
        assert!(ended.is_none_or(|it| it.contains(&its_own)), "{ended:?}");
    }
}
