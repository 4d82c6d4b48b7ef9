//! The pages of a consent link, as a person sees them. Without scripts; what callers sent is shown
//! as text, never as markup or a link.

use maud::{DOCTYPE, Markup, PreEscaped, html};

use crate::engine::call::consent::ConsentDecision;
use crate::engine::call::request::Environment;
use crate::engine::state::verification::ConsentRequest;
use crate::http::invisible::write_out_invisible;

/// The field of the form.
pub(super) const DECISION: &str = "decision";
/// What a person may say, as the form says it.
pub(super) const DECISIONS: [(&str, ConsentDecision); 2] = [
    ("allow", ConsentDecision::Allow),
    ("refuse", ConsentDecision::Refuse),
];

/// The page that asks.
pub(super) fn request_page(
    account: &str,
    environment: Environment,
    request: &ConsentRequest,
) -> Markup {
    let [(allow, _), (refuse, _)] = DECISIONS;
    let about = html! {
        p { bdi { strong { (visible(account)) } } " asks to see documents of yours." }
        dl {
            dt id="asks" { "Documents" }
            dd {
                div.box tabindex="0" role="region" aria-labelledby="asks" {
                    @if request.documents.is_empty() {
                        "all documents"
                    } @else {
                        ul {
                            @for code in &request.documents { li { bdi { code { (visible(code)) } } } }
                        }
                    }
                }
            }
            dt { "Environment" }
            dd { (environment_name(environment)) }
            dt id="afterwards" { "Afterwards you go to" }
            dd {
                div.box tabindex="0" role="region" aria-labelledby="afterwards" {
                    bdi { code { (visible(&request.redirect)) } }
                }
            }
        }
        // No action: the form goes back to where the page is.
        form method="post" {
            button.first name=(DECISION) value=(allow) { "Allow" }
            button name=(DECISION) value=(refuse) { "Refuse" }
        }
        p.note { "A simulator asks: no real documents are read, whatever you choose." }
    };
    page("Allow access to your documents?", &about)
}

/// A page that only says something: what is the case, and what to do.
pub(super) fn message_page(title: &str, text: &str) -> Markup {
    page(title, &html! { p { (visible(text)) } })
}

fn environment_name(environment: Environment) -> &'static str {
    match environment {
        Environment::Test => "sandbox (test)",
        Environment::Live => "live",
    }
}

fn page(title: &str, content: &Markup) -> Markup {
    html! {
        (DOCTYPE)
        html lang="en" {
            head {
                meta charset="utf-8";
                meta name="viewport" content="width=device-width, initial-scale=1";
                meta name="robots" content="noindex";
                title { (title) " - Verification Service simulator" }
                style { (PreEscaped(STYLE)) }
            }
            body {
                main {
                    h1 { (title) }
                    (content)
                }
            }
        }
    }
}

/// A text of a caller: a URL must not look like another one.
fn visible(text: &str) -> String {
    write_out_invisible(text, &[])
}

/// Long texts scroll inside their own box, so that the buttons stay in reach.
const STYLE: &str = "
:root{color-scheme:light dark;--back:#f3f4f6;--card:#fff;--text:#1a1d21;--quiet:#50575f;--line:#7a828c;--main:#0b5cad;--on:#fff}
@media(prefers-color-scheme:dark){:root{--back:#14171a;--card:#1f2428;--text:#eceff1;--quiet:#b3bac1;--line:#87909a;--main:#8ec5ff;--on:#10171f}}
*{box-sizing:border-box}
body{margin:0;padding:1rem;background:var(--back);color:var(--text);font:1rem/1.5 system-ui,sans-serif}
main{max-width:34rem;margin:4vh auto;padding:1.5rem;background:var(--card);border:1px solid var(--line);border-radius:.5rem;overflow-wrap:anywhere}
h1{margin:0 0 1rem;font-size:1.5rem;line-height:1.25}
dt{margin-top:1rem;color:var(--quiet)}
dd{margin:0}
.box{max-height:10rem;overflow:auto}
ul{margin:0;padding-left:1.25rem}
code{font-family:ui-monospace,monospace}
form{display:flex;flex-wrap:wrap;gap:.75rem;margin:1.5rem 0 1rem}
button{flex:1 1 9rem;min-height:2.75rem;font:inherit;font-weight:600;color:var(--main);background:var(--card);border:2px solid var(--main);border-radius:.375rem;cursor:pointer}
button.first{color:var(--on);background:var(--main)}
:focus-visible{outline:3px solid var(--main);outline-offset:3px}
.note{margin:0;color:var(--quiet);font-size:.875rem}
";

#[cfg(test)]
mod tests {
    use super::*;
    use crate::http::invisible::reorders;

    fn page_of(asks: &[&str], redirect: &str) -> String {
        let request = ConsentRequest {
            documents: asks.iter().map(|&code| code.to_owned()).collect(),
            redirect: redirect.to_owned(),
            refused: svc_fixtures::contract::ErrorCode::NoRecordFound,
        };
        request_page("local", Environment::Test, &request).into_string()
    }

    /// What stands between the tags.
    fn main_of(page: &str) -> &str {
        let from = page.find("<main>").unwrap();
        &page[from..page.find("</main>").unwrap()]
    }

    #[test]
    fn the_page_asks_and_offers_both_decisions() {
        let page = page_of(&["PAN", "DL"], "https://app.example/return?a=b&c=d");
        insta::assert_snapshot!(main_of(&page).replace("><", ">\n<"), @r#"
        <main>
        <h1>Allow access to your documents?</h1>
        <p>
        <bdi>
        <strong>local</strong>
        </bdi> asks to see documents of yours.</p>
        <dl>
        <dt id="asks">Documents</dt>
        <dd>
        <div class="box" tabindex="0" role="region" aria-labelledby="asks">
        <ul>
        <li>
        <bdi>
        <code>PAN</code>
        </bdi>
        </li>
        <li>
        <bdi>
        <code>DL</code>
        </bdi>
        </li>
        </ul>
        </div>
        </dd>
        <dt>Environment</dt>
        <dd>sandbox (test)</dd>
        <dt id="afterwards">Afterwards you go to</dt>
        <dd>
        <div class="box" tabindex="0" role="region" aria-labelledby="afterwards">
        <bdi>
        <code>https://app.example/return?a=b&amp;c=d</code>
        </bdi>
        </div>
        </dd>
        </dl>
        <form method="post">
        <button class="first" name="decision" value="allow">Allow</button>
        <button name="decision" value="refuse">Refuse</button>
        </form>
        <p class="note">A simulator asks: no real documents are read, whatever you choose.</p>
        "#);
    }

    #[test]
    fn without_codes_all_documents_are_asked_for() {
        let page = page_of(&[], "https://app.example/");
        assert!(page.contains(">all documents<"), "{page}");
    }

    #[test]
    fn no_text_becomes_markup() {
        let mean =
            "</code></bdi></title></style><script>alert(1)</script>\"'><img src=x onerror=y>&amp;";
        let account = html! { (mean) }.into_string();
        let request = ConsentRequest {
            documents: vec![mean.to_owned()],
            redirect: mean.to_owned(),
            refused: svc_fixtures::contract::ErrorCode::NoRecordFound,
        };
        let page = request_page(mean, Environment::Live, &request).into_string();
        assert_eq!(page.matches(&account).count(), 3, "{page}");
        for tag in ["<script", "<img", "onerror=y>", "\"'>"] {
            assert!(!page.contains(tag), "{tag} in {page}");
        }
        // The only tags are the page's own.
        let plain = page_of(&["PAN"], "https://app.example/");
        assert_eq!(page.matches('<').count(), plain.matches('<').count());
    }

    #[test]
    fn nothing_that_a_caller_sent_is_a_link() {
        // The field's format refuses such a URL. Should one ever get here, it is a text.
        let page = page_of(&["javascript:alert(1)"], "javascript:alert(1)");
        for way in ["href", "src=", "action", "<a", "http-equiv", "<script"] {
            assert!(!page.contains(way), "{way} in {page}");
        }
        assert!(page.contains("<bdi><code>javascript:alert(1)</code></bdi>"));
    }

    #[test]
    fn characters_that_reorder_or_hide_are_written_out() {
        let page = page_of(
            &["PAN\u{202e}LD\0"],
            "https://app.example/\u{2066}moc.live\u{200f}",
        );
        assert!(page.contains("PAN\\u{202e}LD\\u{0}"), "{page}");
        assert!(page.contains("/\\u{2066}moc.live\\u{200f}<"), "{page}");
        assert_eq!(page.chars().find(|&it| reorders(it)), None);
    }

    #[test]
    fn a_long_text_is_shown_whole() {
        let long = "x".repeat(10_000);
        let page = page_of(&[&long], &format!("https://app.example/{long}"));
        assert_eq!(page.matches(&long).count(), 2);
    }
}
