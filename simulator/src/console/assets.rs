//! The files that the console's pages load: one stylesheet, an icon, htmx, what follows lists, and the copy
//! buttons. Served by the console itself.

use axum::extract::Path;
use axum::response::{IntoResponse as _, Response};
use http::{HeaderMap, StatusCode};

use crate::http::assets::{Asset, SCRIPT};

/// The picture that a browser shows beside a page's title.
const ICON: &str = "icon.svg";

static ASSETS: [Asset; 6] = [
    Asset {
        name: "console.css",
        content_type: "text/css; charset=utf-8",
        bytes: include_bytes!("../../assets/console/console.css"),
    },
    Asset {
        name: "copy.js",
        content_type: SCRIPT,
        bytes: include_bytes!("../../assets/console/copy.js"),
    },
    Asset {
        name: ICON,
        content_type: "image/svg+xml",
        bytes: include_bytes!("../../assets/console/icon.svg"),
    },
    Asset {
        name: "htmx.min.js",
        content_type: SCRIPT,
        bytes: include_bytes!("../../assets/console/htmx.min.js"),
    },
    Asset {
        name: "live.js",
        content_type: SCRIPT,
        bytes: include_bytes!("../../assets/console/live.js"),
    },
    Asset {
        name: "htmx-sse.min.js",
        content_type: SCRIPT,
        bytes: include_bytes!("../../assets/console/htmx-sse.min.js"),
    },
];

/// Serves the icon where browsers look for one that no page names.
pub(super) async fn icon(headers: HeaderMap) -> Response {
    serve(Path(ICON.to_owned()), headers).await
}

/// Serves one of them.
pub(super) async fn serve(Path(name): Path<String>, headers: HeaderMap) -> Response {
    let Some(asset) = ASSETS.iter().find(|asset| asset.name == name) else {
        return StatusCode::NOT_FOUND.into_response();
    };
    asset.respond(&headers)
}

#[cfg(test)]
mod tests {
    use data_encoding::HEXLOWER;
    use sha2::{Digest as _, Sha256};

    use super::*;

    #[test]
    fn what_others_wrote_is_as_they_published_it() {
        let published = [
            (
                "htmx.min.js",
                "d6fdc75f204e6bdefa99b69bf1e6d4ac69b8a364f77929f45c13476b4000f717",
            ),
            (
                "htmx-sse.min.js",
                "98a46496de0c3605fbffdce9167ba427bdd9553184f83f149c261891a92c0136",
            ),
        ];
        for (name, hash) in published {
            let asset = ASSETS.iter().find(|asset| asset.name == name).unwrap();
            assert_eq!(
                HEXLOWER.encode(&Sha256::digest(asset.bytes)),
                hash,
                "{name}"
            );
        }
    }
}
