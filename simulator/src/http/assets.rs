//! Files that are part of the program and that pages load from the console: told by a tag whether they
//! changed. The reference's are here, the pages' in `console/assets.rs`.

use axum::response::{IntoResponse as _, Response};
use bytes::Bytes;
use http::header::{CONTENT_SECURITY_POLICY, ETAG, IF_NONE_MATCH};
use http::{HeaderMap, StatusCode};

use super::control::content;

/// A file of the program.
pub struct Asset {
    /// The last part of its path.
    pub name: &'static str,
    /// Its media type.
    pub content_type: &'static str,
    /// What is in it.
    pub bytes: &'static [u8],
}

/// The media type of scripts.
pub const SCRIPT: &str = "text/javascript; charset=utf-8";

impl Asset {
    /// The asset as an answer, or `304` where the client has just this one. Browsers ask again at each page: another
    /// version of the program has other files.
    pub fn respond(&self, headers: &HeaderMap) -> Response {
        let tag = format!("\"{:016x}\"", xxhash_rust::xxh3::xxh3_64(self.bytes));
        let sent = headers.get(IF_NONE_MATCH).map(|value| value.as_bytes());
        if sent == Some(tag.as_bytes()) {
            return (StatusCode::NOT_MODIFIED, [(ETAG, tag)]).into_response();
        }
        let content = content(self.content_type, Bytes::from_static(self.bytes));
        ([(ETAG, tag)], content).into_response()
    }
}

/// Swagger UI on the OpenAPI document.
static REFERENCE: [Asset; 4] = [
    Asset {
        name: REFERENCE_PAGE,
        content_type: "text/html; charset=utf-8",
        bytes: include_bytes!("../../assets/reference/index.html"),
    },
    Asset {
        name: "initializer.js",
        content_type: SCRIPT,
        bytes: include_bytes!("../../assets/reference/initializer.js"),
    },
    Asset {
        name: "swagger-ui-bundle.js",
        content_type: SCRIPT,
        bytes: include_bytes!("../../assets/reference/swagger-ui-bundle.js"),
    },
    Asset {
        name: "swagger-ui.css",
        content_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../../assets/reference/swagger-ui.css"),
    },
];

/// The first page of the reference.
pub(super) const REFERENCE_PAGE: &str = "index.html";

/// A file of the reference.
pub(super) fn reference(name: &str, headers: &HeaderMap) -> Option<Response> {
    let asset = REFERENCE.iter().find(|asset| asset.name == name)?;
    // Swagger UI writes styles and pictures of its own into the page.
    let policy = "default-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:";
    let policy = [(CONTENT_SECURITY_POLICY, policy)];
    Some((policy, asset.respond(headers)).into_response())
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn swagger_ui_is_as_it_was_published() {
        let hashes = REFERENCE[2..].iter().map(|asset| {
            let hash = HEXLOWER.encode(&Sha256::digest(asset.bytes));
            format!("{hash}  {}", asset.name)
        });
        insta::assert_snapshot!(hashes.collect::<Vec<_>>().join("\n"), @"
        e6a898692f2d768e807c3ba4626068a69a2c5dd960dd6c76f3e4d3a3de180af2  swagger-ui-bundle.js
        5ed08757e53da3e026d6cbecc61fe5d43585c9560b302d534ad56692519a273d  swagger-ui.css
        ");
    }
}
