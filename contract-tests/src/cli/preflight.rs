//! A cheap call to each environment before anything else: whether the key is taken there, and whether the
//! address is the service's at all. What is only strange is left to the checks.

use svc_fixtures::contract::{Environment, ErrorCode, Operation};
use svc_fixtures::json::Json;

use super::exit::{CommandError, Exit};
use super::keys::KeyFlags;
use crate::capture::{Credential, Response};
use crate::client::{Client, Keyring, Pace};
use crate::plan::{Case, RequestTemplate, Rule, Setting};
use crate::spend::SpendGuard;
use crate::target::Target;

/// So many different calls must be answered alike before a run is not begun for it.
const CALLS: usize = 3;

/// Why there is no use in going on.
#[derive(Debug, Clone, PartialEq, Eq)]
enum Obstacle {
    /// The key is not taken: what was answered, and the environment that the answer names.
    Key(String, Option<String>),
    /// It is the key of the other environment.
    OtherEnvironment,
    /// The key may not be used from here.
    Allowlist(String),
    /// Something before the service lets nobody through.
    Forbidden,
    /// A page for people, with this title.
    Page(u16, String),
    /// It is somewhere else.
    Elsewhere(u16, String),
    /// Nothing of the service is there.
    Nowhere(u16),
    /// The service is there, and no operation below this path.
    NoOperation,
    /// Something before the service does not reach it.
    Gateway(u16),
}

/// Asks each environment, and says what is in the way of a run, where something is.
pub(super) async fn ask<T: Target>(
    flags: &KeyFlags,
    setting: &Setting<'_>,
    target: &T,
    keys: &Keyring,
    pace: Pace,
) -> Result<(), CommandError> {
    // What an answer says it was charged is judged by the run alone.
    let client = Client::new(target, keys.clone(), setting);
    let client = &client.guarded(SpendGuard::free_only()).paced(pace);
    let mut met = Vec::new();
    for environment in setting.environments.iter().copied() {
        if let Some(obstacle) = obstacle(setting, client, environment).await {
            met.push((environment, obstacle));
        }
    }
    if met.is_empty() {
        return Ok(());
    }
    let swapped = met.iter().all(|(_, it)| *it == Obstacle::OtherEnvironment);
    if swapped && met.len() == Environment::ALL.len() {
        let [sandbox, live] = flags.addresses;
        return Err(CommandError::usage(format!(
            "{sandbox} and {live} are swapped: each answers that the key is for the other one \
             (SVC_KEY_ENVIRONMENT_MISMATCH). Nothing was judged"
        )));
    }
    let mut texts = Vec::new();
    for (environment, obstacle) in &met {
        let address = client.address(*environment).unwrap_or_default();
        let mut text = describe(flags, *environment, &address, obstacle);
        if let Obstacle::Nowhere(_) = obstacle
            && let Some(console) = console(flags, client, *environment).await
        {
            text = console;
        }
        texts.push(text);
    }
    let text = texts.join("\n");
    let error = CommandError::usage(format!("{text}\nNothing was judged"));
    let unreachable = |(_, it): &(_, Obstacle)| matches!(it, Obstacle::Gateway(_));
    Err(match met.iter().all(unreachable) {
        true => CommandError {
            exit: Exit::Unreachable,
            ..error
        },
        false => error,
    })
}

/// What is in the way in an environment: what several different calls meet alike.
async fn obstacle<T: Target>(
    setting: &Setting<'_>,
    client: &Client<'_, T>,
    environment: Environment,
) -> Option<Obstacle> {
    let first = |operation: &&Operation| setting.contract.step_of(&operation.id).is_none();
    let mut met = None;
    let address = client.address(environment).unwrap_or_default();
    let below = reqwest::Url::parse(&address).is_ok_and(|url| url.path() != "/");
    for operation in setting.operations().filter(first).take(CALLS) {
        // A body that nothing can be done with: it is refused and costs nothing, where the key is taken.
        let body = Json::Object(Vec::new());
        let request = RequestTemplate::post(operation, body);
        let answer = answer(client, environment, request, &operation.id).await?;
        let obstacle = of(&answer, below)?;
        if met.get_or_insert_with(|| obstacle.clone()).kind() != obstacle.kind() {
            return None;
        }
    }
    met
}

async fn answer<T: Target>(
    client: &Client<'_, T>,
    environment: Environment,
    request: RequestTemplate,
    name: &str,
) -> Option<Response> {
    let mut case = Case::new(name).on(environment);
    let step = case.push(request);
    case.expect(
        step,
        "errors.invalid-input",
        Rule::fails(ErrorCode::InvalidInput),
    );
    let captured = client.capture("before the run", &case).await;
    captured.exchanges.into_iter().next()?.response.ok()
}

/// What an answer to a call without any field says beside that; of an address that is below a path or not.
fn of(answer: &Response, below: bool) -> Option<Obstacle> {
    let json = Json::parse(&answer.body).ok();
    let at = |names: [&str; 2]| {
        let value = json.as_ref()?.get(names[0])?.get(names[1])?;
        value.as_text().map(str::to_owned)
    };
    let members = ["success", "verificationId", "billing", "meta"];
    let envelope = json
        .as_ref()
        .is_some_and(|json| members.iter().any(|name| json.get(name).is_some()));
    let code = at(["error", "code"]).and_then(|code| ErrorCode::parse(&code));
    let said = || {
        let code = code.map_or(String::new(), |code| format!(" {code}"));
        let message = at(["error", "message"]);
        let message = message.map_or(String::new(), |text| format!(", {text:?}"));
        format!("{}{code}{message}", answer.status)
    };
    let start = answer.body.trim_ascii_start();
    let kind = answer.header("content-type").unwrap_or_default();
    let page = kind.starts_with("text/html") || start.starts_with(b"<");
    match (answer.status, code) {
        (401, Some(ErrorCode::KeyEnvironmentMismatch)) => Some(Obstacle::OtherEnvironment),
        (401, None | Some(ErrorCode::AuthInvalid)) => {
            Some(Obstacle::Key(said(), at(["meta", "environment"])))
        }
        (403, Some(ErrorCode::IpNotAllowed)) => Some(Obstacle::Allowlist(said())),
        (300..=399, _) => {
            let to = answer.header("location")?;
            Some(Obstacle::Elsewhere(answer.status, to.to_owned()))
        }
        (status, _) if page && !envelope && status < 500 => {
            Some(Obstacle::Page(status, title(start)))
        }
        (403, None) if !envelope => Some(Obstacle::Forbidden),
        (status @ (200..=299 | 404 | 405), None) if !envelope => Some(Obstacle::Nowhere(status)),
        (404, Some(ErrorCode::NotFound)) if below => Some(Obstacle::NoOperation),
        (status @ 502..=504, None) if !envelope => Some(Obstacle::Gateway(status)),
        _ => None,
    }
}

/// The title of a page, or how it begins.
fn title(page: &[u8]) -> String {
    let text = String::from_utf8_lossy(&page[..page.len().min(4096)]);
    let lower = text.to_ascii_lowercase();
    let titled = lower.find("<title>").and_then(|at| {
        let rest = &text[at + "<title>".len()..];
        rest.split('<').next()
    });
    let shown = titled.unwrap_or(&text).trim();
    shown
        .chars()
        .filter(|it| !it.is_control())
        .take(60)
        .collect()
}

impl Obstacle {
    fn kind(&self) -> std::mem::Discriminant<Self> {
        std::mem::discriminant(self)
    }
}

/// What it is, and what to do.
fn describe(
    flags: &KeyFlags,
    environment: Environment,
    address: &str,
    obstacle: &Obstacle,
) -> String {
    let name = match environment {
        Environment::Test => "the sandbox",
        Environment::Live => "live",
    };
    let (url_flag, key_flag) = (flags.address(environment), flags.key(environment));
    let other_flag = flags.address(environment.other());
    let prefix = environment.key_prefix();
    match obstacle {
        Obstacle::Key(said, at) => {
            let other = environment.other();
            let hint = match at {
                Some(at) if *at == other.to_string() => {
                    format!(
                        " It says that it is `{at}`: is {url_flag} the address of the other environment?"
                    )
                }
                _ => String::new(),
            };
            format!(
                "{key_flag}: {name} at {address} doesn't take the key: {said}. It is mistyped, revoked, or was \
                 rotated more than 24 hours ago: the provider's console shows the keys that work.{hint}"
            )
        }
        Obstacle::OtherEnvironment => format!(
            "{url_flag}: {address} is not {name}: it answers that a {prefix} key is for the other environment \
             (401 SVC_KEY_ENVIRONMENT_MISMATCH). Give it as {other_flag}, and {name}'s own address as {url_flag}"
        ),
        Obstacle::Allowlist(said) => format!(
            "{key_flag}: {name} at {address} doesn't take the key from this machine: {said}. Put this machine's \
             public address on the key's allowlist, or run from one that is on it"
        ),
        Obstacle::Forbidden => format!(
            "{url_flag}: {address} answers 403 without the service's envelope: a firewall or proxy before the \
             service keeps this machine out"
        ),
        Obstacle::Page(status, title) => format!(
            "{url_flag}: {address} answers {status} with a page for people (`{title}`) and not with JSON: it is \
             no address of the service's interface"
        ),
        Obstacle::Elsewhere(status, to) => format!(
            "{url_flag}: {address} answers {status} and sends everybody to {to:?}: redirects are not followed; \
             give the address that answers itself"
        ),
        Obstacle::Nowhere(status) => format!(
            "{url_flag}: {address} answers {status} without the service's envelope to {CALLS} different operations: \
             it is not the service, or the address has a path too much or too little"
        ),
        Obstacle::NoOperation => format!(
            "{url_flag}: {address} answers 404 SVC_NOT_FOUND to {CALLS} different operations: the paths of operations \
             begin with /v1 themselves; give the address without that"
        ),
        Obstacle::Gateway(status) => format!(
            "{url_flag}: {address} answers {status} without the service's envelope to {CALLS} different operations: a \
             gateway before the service doesn't reach it"
        ),
    }
}

/// What the console of a simulator says of itself, where that is what was taken for the service.
async fn console<T: Target>(
    flags: &KeyFlags,
    client: &Client<'_, T>,
    environment: Environment,
) -> Option<String> {
    let health = RequestTemplate::get("/control/health").by(Credential::Nothing);
    let answer = answer(client, environment, health, "its console").await?;
    let json = Json::parse(&answer.body).ok()?;
    let text = |name: &str| json.get(name).and_then(Json::as_text);
    text("product").filter(|it| *it == "svc-simulator")?;
    let own = match environment {
        Environment::Test => "sandbox",
        Environment::Live => "live",
    };
    let (flag, own_flag) = (flags.address(environment), flags.console);
    let address = client.address(environment).unwrap_or_default();
    let own = text(own).map_or(String::new(), |own| {
        format!("; its {environment} listener is at {own}")
    });
    Some(format!(
        "{flag}: {address} is the console of a simulator, and not the service{own}. The console's own flag is \
         {own_flag}"
    ))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn told(status: u16, headers: &[(&str, &str)], body: &str) -> String {
        let header = |(name, value): &(&str, &str)| ((*name).to_owned(), (*value).to_owned());
        let answer = Response {
            status,
            headers: headers.iter().map(header).collect(),
            body: body.as_bytes().to_vec(),
        };
        let obstacle = of(&answer, false);
        obstacle.map_or_else(String::new, |it| {
            describe(&KeyFlags::RUN, Environment::Test, "http://a.example", &it)
        })
    }

    fn envelope(code: &str) -> String {
        format!(
            r#"{{"success":false,"error":{{"code":"{code}","message":"No."}},"meta":{{"environment":"live"}}}}"#
        )
    }

    #[test]
    fn what_is_in_the_way_is_said_in_its_own_words() {
        let html = [("content-type", "text/html; charset=utf-8")];
        for (status, headers, body, words) in [
            (
                401,
                &[][..],
                envelope("SVC_AUTH_INVALID"),
                "401 SVC_AUTH_INVALID, \"No.\". It is mistyped, revoked",
            ),
            (
                401,
                &[],
                envelope("SVC_AUTH_INVALID"),
                "is --base-url the address of the other",
            ),
            (
                401,
                &[],
                "Unauthorized".to_owned(),
                "doesn't take the key: 401. ",
            ),
            (
                401,
                &[],
                envelope("SVC_KEY_ENVIRONMENT_MISMATCH"),
                "is not the sandbox",
            ),
            (403, &[], envelope("SVC_IP_NOT_ALLOWED"), "allowlist"),
            (403, &[], "{}".to_owned(), "a firewall or proxy"),
            (
                200,
                &html,
                "<html><title>Sign in</title>".to_owned(),
                "(`Sign in`)",
            ),
            (404, &[], "<!doctype html>".to_owned(), "a page for people"),
            (502, &html, "<html>Bad gateway".to_owned(), "a gateway"),
            (
                200,
                &[],
                "{\"ok\":true}".to_owned(),
                "it is not the service",
            ),
            (
                301,
                &[("location", "https://a.example/")],
                String::new(),
                "to \"https://a.example/\"",
            ),
            (
                404,
                &[],
                r#"{"error":{"code":"NOT_FOUND"}}"#.to_owned(),
                "it is not the service",
            ),
        ] {
            let told = told(status, headers, &body);
            assert!(told.contains(words), "{status} {body}: {told}");
        }
    }

    #[test]
    fn what_is_only_strange_is_left_to_the_checks() {
        let html = [("content-type", "text/html")];
        for (status, headers, body) in [
            (400, &[][..], envelope("SVC_INVALID_INPUT")),
            (401, &[], envelope("SVC_INVALID_INPUT")),
            (404, &[], envelope("SVC_NOT_FOUND")),
            (403, &[], envelope("SVC_INVALID_INPUT")),
            (402, &[], envelope("SVC_INSUFFICIENT_BALANCE")),
            (200, &[], r#"{"success":1}"#.to_owned()),
            (429, &[], "{}".to_owned()),
            (500, &[], "no".to_owned()),
            (400, &html, envelope("SVC_INVALID_INPUT")),
            (304, &[], String::new()),
        ] {
            assert_eq!(told(status, headers, &body), "", "{status} {body}");
        }
    }
}
