//! The test assets, as a program without a key fetches them.

use std::net::SocketAddr;

use svc_fixtures::embedded::test_asset;

use super::client::{Client, Served};

/// Status and head, and the bytes of the body.
fn fetch(address: SocketAddr, method: &str, path: &str) -> (String, Vec<u8>) {
    let mut client = Client::to(address);
    client.write(format!(
        "{method} {path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n\r\n"
    ));
    let mut answer = client.try_rest().expect("an orderly end");
    let end = answer
        .windows(4)
        .position(|it| it == b"\r\n\r\n")
        .expect("a head");
    let body = answer.split_off(end + 4);
    (String::from_utf8_lossy(&answer).to_lowercase(), body)
}

#[test]
fn images_are_served_to_anybody_on_both_listeners() {
    let served = Served::new();
    for address in [served.addresses.sandbox, served.addresses.live] {
        for (name, kind) in [("selfie.png", "image/png"), ("spoof.jpg", "image/jpeg")] {
            let path = format!("/test-assets/{name}");
            let asset = test_asset(name).unwrap();
            let (head, body) = fetch(address, "GET", &path);
            assert!(head.starts_with("http/1.1 200"), "{head}");
            assert!(
                head.contains(&format!("content-type: {kind}\r\n")),
                "{head}"
            );
            assert!(head.contains("cache-control: "), "{head}");
            assert_eq!(body, asset.bytes);
            let (head, body) = fetch(address, "HEAD", &path);
            let length = format!("content-length: {}\r\n", asset.bytes.len());
            assert!(head.contains(&length), "{head}");
            assert_eq!(body, b"");
            let (head, _) = fetch(address, "POST", &path);
            assert!(head.starts_with("http/1.1 405"), "{head}");
            assert!(head.contains("allow: get, head\r\n"), "{head}");
        }
    }
}

#[test]
fn an_unknown_image_is_a_path_like_any_other() {
    let served = Served::new();
    for (key, status, code) in [
        ("nobody", 401, "SVC_AUTH_INVALID"),
        ("svc_test_local", 404, "SVC_NOT_FOUND"),
    ] {
        for name in ["nothing.png", "README.md", "../test-assets/selfie.png", ""] {
            let answer = served.connect().ask(format!(
                "GET /test-assets/{name} HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\r\n"
            ));
            assert_eq!((answer.status, answer.code().as_str()), (status, code));
        }
    }
}

#[test]
fn an_image_that_an_answer_names_is_where_it_says() {
    let served = Served::new();
    for (address, key) in [
        (served.addresses.sandbox, "svc_test_local"),
        (served.addresses.live, "svc_live_local"),
    ] {
        let card = format!("http://{address}/test-assets/aadhaar-card.png");
        let body = format!(r#"{{"url": "{card}"}}"#);
        let answer = Client::to(address).ask(format!(
            "POST /v1/verify/document/kyc-ocr HTTP/1.1\r\nHost: a\r\nAuthorization: Bearer {key}\r\n\
             Content-Type: application/json\r\nContent-Length: {}\r\n\r\n{body}",
            body.len()
        ));
        let json = answer.json();
        assert_eq!(json["data"]["documentType"], "AADHAAR", "{json}");
        let url = json["data"]["maskedImage"].as_str().unwrap();
        let path = url.strip_prefix(&format!("http://{address}")).unwrap();
        let (_, body) = fetch(address, "GET", path);
        assert_eq!(body, test_asset("masked-eight-digits.png").unwrap().bytes);
    }
}
