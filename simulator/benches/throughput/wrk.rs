//! Another generator, where it is installed: nobody has to believe ours.

use std::fmt::Write as _;
use std::io::{Error, Result};
use std::path::PathBuf;
use std::process::Command;
use std::time::Duration;

use svc_test_support::Folder;

use super::load::{CONNECTIONS, Load, Request, Sample};
use super::server::Server;

/// Whether it is installed.
pub(crate) fn is_installed() -> bool {
    Command::new("wrk").arg("-v").output().is_ok()
}

/// One round against a server, of whole seconds.
pub(crate) fn run(load: &Load, server: &Server, time: Duration) -> Result<Sample> {
    let folder = Folder::new("wrk");
    let script = script(&folder, &load.requests)?;
    let before = server.process.cpu()?;
    let output = Command::new("wrk")
        .args(["-t1", "--latency", &format!("-c{CONNECTIONS}")])
        .arg(format!("-d{}s", time.as_secs().max(1)))
        .arg("-s")
        .arg(&script)
        .arg(format!("http://{}/", load.address))
        .output()?;
    let cpu = server.process.cpu()?.since(before);
    let report = String::from_utf8_lossy(&output.stdout);
    let figure = |label: &str| {
        let line = report.lines().find_map(|it| it.trim().strip_prefix(label));
        line.map(str::trim)
            .ok_or_else(|| Error::other(format!("wrk says no {label}: {report}")))
    };
    if report.contains("Non-2xx") {
        return Err(Error::other(format!("not all are successes: {report}")));
    }
    let requests = report.lines().find_map(|it| it.split_once(" requests in"));
    let requests = requests.and_then(|(count, _)| count.trim().parse::<f64>().ok());
    let requests = requests.ok_or_else(|| Error::other("wrk says no count of requests"))?;
    let each = |time: Duration| time.as_secs_f64() * 1e6 / requests;
    Ok(Sample {
        rate: figure("Requests/sec:")?.parse().map_err(Error::other)?,
        p50_us: micros(figure("50%")?)?,
        p99_us: micros(figure("99%")?)?,
        cpu_us: each(cpu.total()),
        user_us: each(cpu.user),
        system_us: each(cpu.system),
        generator_us: f64::NAN,
        rss_mb: server.process.resident_mb()?,
    })
}

/// A script that sends these requests in turn. One alone is made by wrk itself, which costs least; several stand
/// in a file beside it, as a program can't have so many constants.
fn script(folder: &Folder, requests: &[Request]) -> Result<PathBuf> {
    let (first, more) = (&requests[0], folder.path().join("requests"));
    let own = first.headers.lines().filter_map(|it| it.split_once(": "));
    let headers: String = own
        .chain([("Content-Type", "application/json")])
        .map(|(name, value)| format!("[\"{name}\"] = \"{value}\", "))
        .collect();
    let mut lua = format!(
        "wrk.method, wrk.path, wrk.body = 'POST', '{}', '{}'\n\
         wrk.headers = {{ {headers}Authorization = 'Bearer {}' }}\n",
        first.path, first.body, first.key
    );
    if requests.len() > 1 {
        let line = |request: &Request| format!("{} {}\n", request.key, request.body);
        std::fs::write(&more, requests.iter().map(line).collect::<String>())?;
        let more = more.display();
        write!(
            lua,
            "local requests, at = {{}}, 0\n\
             function init()\n  for line in io.lines('{more}') do\n    \
             local key, body = line:match('^(%S+) (.*)$')\n    \
             wrk.headers.Authorization = 'Bearer ' .. key\n    \
             requests[#requests + 1] = wrk.format(nil, nil, nil, body)\n  end\nend\n\
             function request() at = at % #requests + 1; return requests[at] end\n"
        )
        .expect("a text takes all that is written");
    }
    let script = folder.path().join("requests.lua");
    std::fs::write(&script, lua)?;
    Ok(script)
}

/// A latency as wrk writes it: `431.00us`, `1.20ms`, `2.01s`.
fn micros(text: &str) -> Result<f64> {
    let digits = text.trim_end_matches(char::is_alphabetic);
    let unit = match &text[digits.len()..] {
        "us" => 1.0,
        "ms" => 1e3,
        "s" => 1e6,
        _ => return Err(Error::other(format!("wrk says {text}"))),
    };
    digits
        .parse::<f64>()
        .map(|it| it * unit)
        .map_err(Error::other)
}
