//! Who calls, and under which headers, so that conditions beside the body hold. Makes suggestions;
//! who uses them tries them.

use svc_fixtures::json::Json;

use super::values::values;
use super::{CallSpec, CallTarget};
use crate::scenario::{
    AccountConfig, Caller, Condition, HeaderName, Predicate, Selector, find_account,
};

/// So many of them are tried.
const TRIED: usize = 16;

/// What headers look like where a condition leaves it open.
const HEADER: &str = "order-1042";

impl<'q> CallSpec<'q> {
    /// A call of this caller, with a key and a body.
    #[must_use]
    pub fn by(caller: &'q Caller, key: &'q str, target: CallTarget, body: &'q Json<'q>) -> Self {
        CallSpec {
            environment: caller.environment,
            key,
            target,
            body,
            idempotency_key: caller.idempotency_key.as_deref(),
            reference_id: caller.reference_id.as_deref(),
            headers: &caller.headers,
        }
    }
}

/// Callers that these conditions hold for, as like a given one as they can be; conditions on the body
/// are passed over.
pub(super) fn meeting(
    caller: &Caller,
    conditions: &[&Condition],
    accounts: &[AccountConfig],
) -> Vec<Caller> {
    let mut found = vec![caller.clone()];
    let mut subjects = vec![
        Selector::Environment,
        Selector::Account,
        Selector::Header(HeaderName::ReferenceId),
        Selector::Header(HeaderName::IdempotencyKey),
    ];
    let other = |it: &&Condition| matches!(&it.selector, Selector::Header(HeaderName::Other(_)));
    for condition in conditions.iter().copied().filter(other) {
        if !subjects.contains(&condition.selector) {
            subjects.push(condition.selector.clone());
        }
    }
    for selector in subjects {
        let on_it = conditions.iter().filter(|it| it.selector == selector);
        let predicates: Vec<&Predicate> = on_it.map(|it| &it.predicate).collect();
        if !predicates.is_empty() {
            let with = |caller: &Caller| changed(caller, &selector, &predicates);
            found = found.iter().flat_map(with).collect();
        }
    }
    let meets = |caller: &Caller| {
        let context = caller.context();
        let mut conditions = conditions.iter();
        conditions.all(|it| it.holds_in_context(&context).unwrap_or(true))
    };
    found.retain(|caller| meets(caller) && can_call(caller, accounts));
    found.truncate(TRIED);
    found
}

/// A caller, and others that these tests of one subject may hold for.
fn changed(like: &Caller, selector: &Selector, predicates: &[&Predicate]) -> Vec<Caller> {
    let sample = match selector {
        Selector::Account => "local_worker",
        _ => HEADER,
    };
    let sample = Json::from(sample);
    // What several tests ask for is asked of one text.
    let mut texts = vec![sample.clone()];
    for predicate in predicates {
        let more: Vec<_> = texts
            .iter()
            .flat_map(|base| values(predicate, base))
            .collect();
        texts.extend(more.into_iter().take(TRIED));
    }
    let texts = texts.iter().filter_map(Json::as_text);
    let mut found = vec![like.clone()];
    for text in texts {
        let (mut caller, text) = (like.clone(), text.to_owned());
        match selector {
            Selector::Account => caller.account = text,
            Selector::Header(HeaderName::ReferenceId) => caller.reference_id = Some(text),
            Selector::Header(HeaderName::IdempotencyKey) => {
                caller.idempotency_key = Some(text);
            }
            Selector::Header(HeaderName::Other(name)) => {
                caller.headers.0.retain(|(known, _)| **known != **name);
                caller.headers.0.push((name.to_string(), text));
            }
            _ => caller.environment = caller.environment.other(),
        }
        if !found.contains(&caller) {
            found.push(caller);
        }
    }
    found
}

/// Whether there is such an account, and a header can say such a text.
fn can_call(caller: &Caller, accounts: &[AccountConfig]) -> bool {
    let known = [&caller.reference_id, &caller.idempotency_key];
    let more = caller.headers.0.iter().map(|(_, text)| text);
    let mut headers = known.into_iter().flatten().chain(more);
    let plain = |text: &String| {
        let visible = |byte: u8| byte == b' ' || byte.is_ascii_graphic();
        (1..=255).contains(&text.len()) && text.trim() == text && text.bytes().all(visible)
    };
    if !headers.all(plain) {
        return false;
    }
    find_account(accounts, &caller.account)
        .is_some_and(|config| config.keys.iter().any(|key| !key.revoked))
}
