//! Strategies for bodies nobody should send: those that must be refused before any field is looked
//! at, and strange ones that are valid all the same.

use proptest::prelude::*;
use proptest::sample::{Index, select};
use svc_fixtures::contract::{ErrorCode, Operation};
use svc_fixtures::json::{Json, MAX_DEPTH};
use svc_fixtures::sample::any::Inputs;
use svc_fixtures::sample::{self, Extent};

use super::definition::Script;
use crate::plan::{Case, Ending, RequestTemplate, Rule, Setting};

/// A body and what is strange about it.
type Strange = (&'static str, Vec<u8>);

/// One call that must be refused as invalid input, whatever the operation.
pub(super) fn refused(setting: &Setting<'_>, operation: &Operation) -> BoxedStrategy<Script> {
    let body = Inputs::new(setting.contract).body(&operation.request);
    let body = body.prop_map(|body| print(&body));
    let first = operation.request.first().map(|field| field.name.clone());
    let strange = (body, any::<Index>(), any::<Index>(), kinds())
        .prop_map(move |(body, at, which, kind)| kind.corrupt(body, at, which, first.as_deref()));
    let request = {
        let plain = RequestTemplate::post(operation, Json::Null);
        let sound = print(&sample::body(setting.contract, operation, Extent::All));
        let mislabelled = select(mislabelled(&plain.clone().raw(sound)));
        let corrupted = strange.prop_map(move |(what, bytes)| (what, plain.clone().raw(bytes)));
        prop_oneof![6 => corrupted, 1 => mislabelled]
    };
    let environment = select(setting.environments.clone());
    let own = operation.clone();
    (request, environment)
        .prop_map(move |((what, request), environment)| {
            let mut case = Case::about(&own, what).on(environment);
            case.push(request);
            let input = Rule::Ends(Ending::Error(ErrorCode::InvalidInput));
            Script::new(case.expecting("ruling.06-bad-body", input))
        })
        .boxed()
}

/// One call that is strange only where nobody looks: in members that no field names.
pub(super) fn ignored(setting: &Setting<'_>, operation: &Operation) -> BoxedStrategy<Script> {
    let (sound, ending) = sound(setting, operation);
    let deep = MAX_DEPTH - 1;
    let more = prop_oneof![
        Just(format!(
            "\"x_deep\":{}{}",
            "[".repeat(deep),
            "]".repeat(deep)
        )),
        Just(format!("\"x_nul\":\"a{}b\"", "\\u0000")),
        Just(format!("\"x_{}\":1", "\\ud83d\\ude00")),
        "\"x_long\":\"[a-zé]{3000,9000}\"",
        "\"x_[a-z]{3000,9000}\":null",
        "\"x_huge\":-?[1-9][0-9]{15,60}",
        "\"x_tiny\":0\\.[0-9]{1,40}",
        "\"x_power\":-?[1-9](\\.[0-9]{1,30})?[eE][-+]?[0-9]{1,2}",
        "[ \n\r\t]{1,40}\"x\"[ \n\r\t]{0,9}:[ \n\r\t]{0,9}0[ \n\r\t]{0,9}",
    ];
    let environment = select(setting.environments.clone());
    let own = operation.clone();
    (more, environment)
        .prop_map(move |(more, environment)| {
            let mut case = Case::about(&own, "strange but ignored").on(environment);
            case.push(RequestTemplate::post(&own, Json::Null).raw(with_more(&sound, &more)));
            Script::new(case.expecting("ruling.07-extra-fields", Rule::Ends(ending)))
        })
        .boxed()
}

/// The bytes of a sound body that needs no call before it, and how it ends: an identifier that is
/// carried from an earlier call is one that need not have been issued.
fn sound(setting: &Setting<'_>, operation: &Operation) -> (Vec<u8>, Ending) {
    let contract = setting.contract;
    let mut identifiers = operation.identifiers();
    match identifiers.find(|(_, field)| contract.carries(operation, field)) {
        Some((_, field)) => {
            let row = contract.error(ErrorCode::NoRecordFound);
            let text = sample::status_text(setting.contract, operation, field, row.status);
            let body = sample::body_with_text(contract, operation, field, &text);
            (print(&body), Ending::Error(row.code))
        }
        None => {
            let body = sample::body(contract, operation, Extent::All);
            (print(&body), Ending::success(operation))
        }
    }
}

fn print(body: &Json<'_>) -> Vec<u8> {
    body.to_string().into_bytes()
}

/// Headers that say the body is something else.
fn mislabelled(request: &RequestTemplate) -> Vec<(&'static str, RequestTemplate)> {
    let typed = |value: &str| request.clone().header("content-type", value);
    let coded = |value: &str| request.clone().header("content-encoding", value);
    let without = RequestTemplate {
        headers: Vec::new(),
        ..request.clone()
    };
    vec![
        ("no content type", without),
        ("a text", typed("text/plain")),
        ("a form", typed("application/x-www-form-urlencoded")),
        ("another JSON", typed("application/json-seq")),
        ("an empty content type", typed("")),
        ("UTF-16", typed("application/json; charset=utf-16")),
        ("gzip", coded("gzip")),
        ("no coding by name", coded("identity")),
    ]
}

/// The sound body with text put in before its end.
fn with_more(sound: &[u8], more: &str) -> Vec<u8> {
    let inside = &sound[..sound.len() - 1];
    let comma = if inside.len() > 1 { "," } else { "" };
    [inside, comma.as_bytes(), more.as_bytes(), b"}"].concat()
}

/// How a body is spoilt.
#[derive(Debug, Clone, Copy)]
enum Corruption {
    /// Other bytes are put in place of all.
    Replaced,
    /// It ends too early.
    CutShort,
    /// Something stands before or after it.
    Surrounded,
    /// Bytes that are no UTF-8 stand in it.
    NoText,
    /// A name is there twice.
    Twice,
    /// A value is nested too deep.
    TooDeep,
    /// A member that is no JSON.
    NoMember,
}

fn kinds() -> impl Strategy<Value = Corruption> {
    select(vec![
        Corruption::Replaced,
        Corruption::CutShort,
        Corruption::Surrounded,
        Corruption::NoText,
        Corruption::Twice,
        Corruption::TooDeep,
        Corruption::NoMember,
    ])
}

const REPLACEMENTS: &[&[u8]] = &[
    b"",
    b" ",
    b"\n",
    b"null",
    b"true",
    b"7",
    b"\"text\"",
    b"[]",
    b"[{}]",
    b"{",
    b"}",
    b"{}{}",
    b"{\"a\"}",
    b"{a:1}",
    b"{'a':1}",
    b"{\"a\":}",
    b"{,}",
    b"\x00",
    b"\xFF\xFE{\x00}\x00",
];

const MEMBERS: &[&str] = &[
    "\"x\":NaN",
    "\"x\":Infinity",
    "\"x\":-",
    "\"x\":01",
    "\"x\":+1",
    "\"x\":1.",
    "\"x\":.5",
    "\"x\":0x1",
    "\"x\":1e",
    "\"x\":'a'",
    "\"x\":undefined",
    "\"x\":TRUE",
    "\"x\":\"\u{0}\"",
    "\"x\":\"\n\"",
    "\"x\":\"\\x\"",
    "\"x\":\"\\u12\"",
    "\"x\":\"\\ud800\"",
    "\"x\":\"\\udc00\"",
    "\"x\":\"\\ud800\\ud800\"",
    "\"\\udfff\":1",
    "\"x\":\"\\ud83d x\"",
    "\"x\":1,",
    "/**/\"x\":1",
    "\"x\":1//",
    "\"x\" 1",
    "\"x\":\"",
    "\"x\":[1,]",
    "\"x\":{\"a\":1,\"a\":1}",
];

impl Corruption {
    fn corrupt(self, body: Vec<u8>, at: Index, which: Index, first: Option<&str>) -> Strange {
        let place = at.index(body.len());
        match self {
            Corruption::Replaced => ("no object", which.get(REPLACEMENTS).to_vec()),
            Corruption::CutShort => ("cut short", body[..place].to_vec()),
            Corruption::Surrounded => match which.index(3) {
                0 => {
                    let mark = b"\xEF\xBB\xBF";
                    ("a byte-order mark", [mark, body.as_slice()].concat())
                }
                1 => ("something after it", [body.as_slice(), b"{}"].concat()),
                _ => ("a comma after it", [body.as_slice(), b","].concat()),
            },
            Corruption::NoText => {
                let byte = *which.get(&[0xFF_u8, 0xFE, 0xC0]);
                let (before, after) = body.split_at(place);
                ("not UTF-8", [before, &[byte], after].concat())
            }
            Corruption::Twice => {
                let name = first.filter(|_| body.len() > 2).unwrap_or("x");
                // Names of any body: one that the body leaves out is put in twice here.
                let twice = format!("{0}:1,{0}:1", Json::from(name.to_owned()));
                ("a name twice", with_more(&body, &twice))
            }
            Corruption::TooDeep => {
                let depth = MAX_DEPTH + [0, 1, 5000][which.index(3)];
                let (open, close) = [("[", "]"), ("{\"a\":[", "]}")][at.index(2)];
                let value = [open.repeat(depth), close.repeat(depth)].concat();
                ("too deep", with_more(&body, &format!("\"x\":{value}")))
            }
            Corruption::NoMember => {
                let member = which.get(MEMBERS);
                ("no JSON in it", with_more(&body, member))
            }
        }
    }
}
