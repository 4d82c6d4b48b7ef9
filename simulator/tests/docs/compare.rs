//! Whether a command printed what a page shows. `…` is the only thing that may stand for something else: in a line
//! for any text, alone on a line for any lines; as a text of JSON for any value, as the name of a member for any
//! further members, as the last item of a list for any further items.

use serde_json::Value;

pub(crate) const ANY: &str = "…";

/// Whether a text is as it is shown.
pub(crate) fn is_text(shown: &str, printed: &str) -> bool {
    let shown: Vec<&str> = shown.trim_end().lines().map(str::trim_end).collect();
    let printed: Vec<&str> = printed.trim_end().lines().map(str::trim_end).collect();
    are_lines(&shown, &printed)
}

fn are_lines(shown: &[&str], printed: &[&str]) -> bool {
    match (shown, printed) {
        ([first, rest @ ..], _) if first.trim() == ANY => {
            (0..=printed.len()).any(|taken| are_lines(rest, &printed[taken..]))
        }
        ([first, shown @ ..], [line, printed @ ..]) => {
            is_line(first, line) && are_lines(shown, printed)
        }
        (left, other) => left.is_empty() && other.is_empty(),
    }
}

fn is_line(shown: &str, printed: &str) -> bool {
    let Some((before, rest)) = shown.split_once(ANY) else {
        return shown == printed;
    };
    let Some(printed) = printed.strip_prefix(before) else {
        return false;
    };
    let ends = printed.char_indices().map(|(at, _)| at);
    let mut ends = ends.chain([printed.len()]);
    ends.any(|at| is_line(rest, &printed[at..]))
}

/// Whether JSON is as it is shown; where it is not, the path and why.
pub(crate) fn is_json(shown: &Value, printed: &Value, path: &str) -> Result<(), String> {
    match (shown, printed) {
        (Value::String(any), _) if any == ANY => Ok(()),
        (Value::Object(shown), Value::Object(printed)) => {
            for (name, value) in shown.iter().filter(|(name, _)| *name != ANY) {
                let path = format!("{path}.{name}");
                let found = printed
                    .get(name)
                    .ok_or_else(|| format!("{path} is not there"))?;
                is_json(value, found, &path)?;
            }
            let more = printed.keys().find(|name| !shown.contains_key(*name));
            match more.filter(|_| !shown.contains_key(ANY)) {
                Some(name) => Err(format!("{path}.{name} is not shown")),
                None => Ok(()),
            }
        }
        (Value::Array(shown), Value::Array(printed)) => {
            let is_open = shown.last().is_some_and(|last| last == ANY);
            let shown = &shown[..shown.len() - usize::from(is_open)];
            if shown.len() > printed.len() || shown.len() < printed.len() && !is_open {
                let (shown, printed) = (shown.len(), printed.len());
                return Err(format!("{path} has {printed} items, and {shown} are shown"));
            }
            let mut pairs = shown.iter().zip(printed).enumerate();
            pairs.try_for_each(|(at, (shown, printed))| {
                is_json(shown, printed, &format!("{path}[{at}]"))
            })
        }
        _ if shown == printed => Ok(()),
        _ => Err(format!("{path} is {printed}, and {shown} is shown")),
    }
}

/// JSON to show: what the machine's clock says is left open.
pub(crate) fn show_json(printed: &Value, is_now: &dyn Fn(&str) -> bool) -> Value {
    match printed {
        Value::String(text) if is_now(text) => Value::String(ANY.to_owned()),
        Value::Array(items) => items.iter().map(|it| show_json(it, is_now)).collect(),
        Value::Object(members) => {
            let members = members.iter();
            let shown = members.map(|(name, it)| (name.clone(), show_json(it, is_now)));
            Value::Object(shown.collect())
        }
        other => other.clone(),
    }
}
