//! Traffic as JSON: what is read of it, and what of it is charged.

use svc_simulator::forecast::{ForecastSettings, StatedSpan};

use crate::{a_month, foretold, settings, told, traffic};

/// The first row of what one call comes to, and why it is free.
fn one(line: &str) -> String {
    let told = traffic(line, &a_month());
    let row = told.lines().nth(1).expect("a row");
    let row: Vec<&str> = row.split(" | ").take(6).collect();
    let free = told
        .lines()
        .skip_while(|line| !line.starts_with("calls | why"))
        .nth(1);
    match free {
        Some(free) => format!("{}: {free}", row.join(" ")),
        None => row.join(" "),
    }
}

fn call(more: &str) -> String {
    format!("{{\"path\":\"/v1/verify/identity/pan\"{more}}}")
}

#[test]
fn what_a_call_came_to_says_whether_it_is_charged() {
    let all = [
        r#","status":"completed""#,
        r#","code":"SVC_NO_RECORD_FOUND""#,
        r#","httpStatus":422"#,
        r#","code":"SVC_SOURCE_TIMEOUT""#,
        r#","code":"SVC_RATE_LIMITED""#,
        r#","code":"SVC_INSUFFICIENT_BALANCE""#,
        r#","code":"SVC_INVALID_INPUT""#,
        r#","status":"pending""#,
        r#","status":"unanswered""#,
        r#","status":"completed","environment":"test""#,
        r#","status":"completed","replay":true,"charged":2.5"#,
        r#","status":"completed","charged":0"#,
        r#","status":"completed","charged":3.75"#,
        r#","code":"SVC_SOURCE_TIMEOUT","charged":2.5"#,
    ];
    let all = all
        .iter()
        .map(|more| format!("{} {}", more.trim_start_matches(','), one(&call(more))));
    insta::assert_snapshot!(all.collect::<Vec<_>>().join("\n"), @r#"
    "status":"completed" verify.identity.pan 1 1 0 0 2.5
    "code":"SVC_NO_RECORD_FOUND" verify.identity.pan 1 1 1 0 2.5
    "httpStatus":422 verify.identity.pan 1 1 1 0 2.5
    "code":"SVC_SOURCE_TIMEOUT" verify.identity.pan 1 0 0 1 0: 1 | failed at the source or the service, never billed
    "code":"SVC_RATE_LIMITED" verify.identity.pan 1 0 0 1 0: 1 | failed at the source or the service, never billed
    "code":"SVC_INSUFFICIENT_BALANCE" verify.identity.pan 1 0 0 1 0: 1 | refused before anything was executed
    "code":"SVC_INVALID_INPUT" verify.identity.pan 1 0 0 1 0: 1 | refused before anything was executed
    "status":"pending" verify.identity.pan 1 0 0 1 0: 1 | still pending: billed if the result is conclusive
    "status":"unanswered" verify.identity.pan 1 0 0 1 0: 1 | without an answer: nothing says whether they were charged
    "status":"completed","environment":"test" verify.identity.pan (sandbox) 1 0 0 1 0: 1 | on the sandbox, which is free
    "status":"completed","replay":true,"charged":2.5 verify.identity.pan 1 0 0 1 0: 1 | answered again under an idempotency key
    "status":"completed","charged":0 verify.identity.pan 1 0 0 1 0: 1 | conclusive, and not charged as the traffic says
    "status":"completed","charged":3.75 verify.identity.pan 1 1 0 0 3.75
    "code":"SVC_SOURCE_TIMEOUT","charged":2.5 verify.identity.pan 1 1 0 0 2.5
    "#);
}

/// Some log the bodies alone, under these names: then the response is the envelope, and two of one id are one charge.
#[test]
fn a_response_that_is_the_envelope_says_what_a_call_came_to() {
    let billing = r#""billing":{"charged":true,"amount":3.5,"currency":"INR"}"#;
    let envelope = format!(
        r#"{{"verificationId":"svcv_1","endpoint":"verify.identity.pan","status":"completed",{billing},"meta":{{"environment":"live"}}}}"#
    );
    for status in ["", r#","httpStatus":200"#] {
        let more = format!(r#"{status},"request":{{"pan":"AAAAA0000A"}},"response":{envelope}"#);
        let twice = format!("{0}\n{0}", call(&more));
        assert_eq!(
            one(&twice),
            "verify.identity.pan 2 1 0 1 3.5: 1 | answered again under an idempotency key"
        );
    }
}

#[test]
fn a_list_of_prices_counts_before_what_was_charged_and_the_sandbox_may_be_reckoned_as_live() {
    let lines = [
        call(r#","status":"completed","charged":3.75"#),
        call(r#","status":"completed","environment":"test","charged":false"#),
    ];
    let amount = |prices: &str, as_live: bool| {
        let settings = ForecastSettings {
            as_live,
            ..a_month()
        };
        let forecast = foretold(&lines.join("\n"), prices, &settings).expect("a forecast");
        forecast.total.amount.to_string()
    };
    assert_eq!(amount("", false), "3.75");
    assert_eq!(amount("", true), "6.25");
    let list = "\"verify.identity.pan\" = 10\n";
    assert_eq!(amount(list, false), "10");
    assert_eq!(amount(list, true), "20");
}

#[test]
fn a_call_is_read_from_whatever_a_log_says_of_it() {
    let envelope = r#"{"success":true,"verificationId":"svcv_1","endpoint":"verify.identity.pan","status":"completed","data":{},"billing":{"charged":true,"amount":2.5,"currency":"INR"},"meta":{"createdAt":"2026-11-23T10:00:00Z","environment":"live","latencyMs":250}}"#;
    let ways = [
        r#"{"endpoint":"verify.identity.pan","at":"2026-11-23T10:00:00Z","environment":"live","status":"completed","charged":2.5,"latencyMs":250}"#.to_owned(),
        r#"{"url":"https://api.example/v1/verify/identity/pan","time":1795428000,"environment":"production","status":200,"charged":true,"amount":2.5,"tookMs":250}"#.to_owned(),
        envelope.to_owned(),
        format!("{{\"request\":{{\"method\":\"POST\",\"path\":\"/v1/verify/identity/pan\"}},\"response\":{{\"status\":200,\"body\":{envelope}}}}}"),
        format!("{{\"path\":\"/v1/verify/identity/pan\",\"envelope\":{}}}", serde_json::json!(envelope)),
        format!("[{envelope}]"),
        format!("{{\"calls\": [\n{envelope}\n]}}"),
    ];
    let first = traffic(&ways[0], &a_month());
    insta::assert_snapshot!(first, @"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.identity.pan | 1 | 1 | 0 | 0 | 2.5 | 250 | 250 | measured: 1
    total | 1 | 1 | 0 | 0 | 2.5
    Calls: 1, which stand for 30 d as stated; a month is 1 times that.
    Charged calls that do not say when they were made or what they asked, so that nothing is saved with them: 1.
    ");
    for way in &ways[1..] {
        assert_eq!(traffic(way, &a_month()), first, "{way}");
    }
}

#[test]
fn what_can_not_be_read_is_left_out_with_its_line_and_why() {
    let lines = [
        call(r#","status":"completed""#),
        "not JSON".to_owned(),
        "[1]".to_owned(),
        String::new(),
        call(""),
        call(r#","status":"completed","at":"yesterday""#),
        call(r#","status":"completed","charged":1.005"#),
        call(r#","status":"completed","environment":"staging""#),
        r#"{"status":"completed"}"#.to_owned(),
        r#"{"path":"/v1/verify/identity/pann","status":"completed"}"#.to_owned(),
        r#"{"method":"GET","path":"/v1/usage","status":200}"#.to_owned(),
        r#"{"endpoint":"screen.mobile-mnrl","status":"completed","bundle":"svcv_1"}"#.to_owned(),
    ];
    insta::assert_snapshot!(traffic(&lines.join("\n"), &a_month()), @r#"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.identity.pan | 1 | 1 | 0 | 0 | 2.5 | 250 | 250 | documented
    total | 1 | 1 | 0 | 0 | 2.5
    calls.jsonl:2: it is no JSON: expected ident at line 1 column 2: not JSON
    calls.jsonl:3: it is an array, and no object: [1]
    calls.jsonl:5: it does not say what came of it: `status`, `code`, `httpStatus`, `charged` or `envelope` is missing: {"path":"/v1/verify/identity/pan"}
    calls.jsonl:6: its time is none: write 2026-11-23T10:00:00Z, or seconds since 1970: {"path":"/v1/verify/identity/pan","status":"completed","at":…
    calls.jsonl:7: its charge is no amount: rupees, 0 or more, with at most two decimals: {"path":"/v1/verify/identity/pan","status":"completed","char…
    calls.jsonl:8: its environment is neither `live` nor `test`: {"path":"/v1/verify/identity/pan","status":"completed","envi…
    calls.jsonl:9: it does not say what was called: `endpoint` or `path` is missing: {"status":"completed"}
    calls.jsonl:10: no operation or bundle is called so: {"path":"/v1/verify/identity/pann","status":"completed"}
    calls.jsonl:11: GET asks about calls, and costs nothing: {"method":"GET","path":"/v1/usage","status":200}
    calls.jsonl:12: it is a step of a bundle: the bundle's line has its price: {"endpoint":"screen.mobile-mnrl","status":"completed","bundl…
    Calls: 1, which stand for 30 d as stated; a month is 1 times that.
    Calls that do not say where they went, reckoned as live: 1.
    Charged calls that do not say when they were made or what they asked, so that nothing is saved with them: 1.
    "#);
    insta::assert_snapshot!(traffic(&lines[1..].join("\n"), &a_month()), @"there is no call that can be reckoned with: 1: GET asks about calls, and costs nothing; 1: it does not say what came of it: `status`, `code`, `httpStatus`, `charged` or `envelope` is missing; 1: it does not say what was called: `endpoint` or `path` is missing; 1: it is a step of a bundle: the bundle's line has its price; 1: it is an array, and no object; 1: it is no JSON: expected ident at line 1 column 2; 1: its charge is no amount: rupees, 0 or more, with at most two decimals; 1: its environment is neither `live` nor `test`; 1: its time is none: write 2026-11-23T10:00:00Z, or seconds since 1970; 1: no operation or bundle is called so");
    insta::assert_snapshot!(traffic("", &a_month()), @"there is no call that can be reckoned with: it is empty");
}

#[test]
fn a_code_that_no_table_has_costs_what_else_is_said() {
    let lines = [
        call(r#","code":"SVC_QUOTA""#),
        call(r#","code":"SVC_QUOTA","httpStatus":422"#),
        call(r#","code":"SVC_QUOTA","httpStatus":500"#),
        call(r#","code":"SVC_QUOTA","charged":false"#),
    ];
    let told = traffic(&lines.join("\n"), &a_month());
    let total: Vec<&str> = told.lines().skip(1).take(1).collect();
    assert_eq!(
        total,
        ["verify.identity.pan | 3 | 1 | 1 | 2 | 2.5 | 250 | 250 | documented"]
    );
    let why = "calls.jsonl:1: nothing says what `SVC_QUOTA` costs: it is no code of the table, and `httpStatus` or `charged` is missing";
    assert!(told.contains(why), "{told}");
}

#[test]
fn an_answer_given_again_is_free_and_a_result_ends_what_was_pending() {
    let answer = |at: &str, status: &str, charged: &str| {
        format!(
            "{{\"verificationId\":\"svcv_1\",\"endpoint\":\"verify.employment.uan\",\"at\":\"2026-11-23T10:{at}Z\",\
             \"environment\":\"live\",\"status\":\"{status}\",\"charged\":{charged}}}"
        )
    };
    let all = [
        answer("00:00", "pending", "0"),
        answer("00:30", "completed", "40"),
        answer("00:40", "completed", "40"),
    ];
    insta::assert_snapshot!(traffic(&all.join("\n"), &a_month()), @"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.employment.uan | 2 | 1 | 0 | 1 | 40 | 12500 | 19250 | documented
    total | 2 | 1 | 0 | 1 | 40
    calls | why
    1 | answered again under an idempotency key
    flow | runs | p50 ms | p95 ms | times | note
    verify.employment.uan until its result | 1 | 50000 | 50000 | partly measured | with results that came later, as measured
    - verify.employment.uan |  | 12500 | 19250 | documented
    - the result, where it comes later |  | 30000 | 30000 | measured: 1
    Calls: 2, which stand for 30 d as stated; a month is 1 times that.
    Charged calls that do not say when they were made or what they asked, so that nothing is saved with them: 1.
    ");
}

#[test]
fn a_key_that_was_used_for_the_same_is_a_replay_for_a_day() {
    let line = |at: &str, key: &str| {
        call(&format!(
            r#","status":"completed","at":"{at}","idempotencyKey":"{key}""#
        ))
    };
    let billed = |second: String| {
        let lines = [line("2026-11-23T10:00:00Z", "k"), second];
        let forecast = foretold(&lines.join("\n"), "", &a_month()).expect("a forecast");
        forecast.total.billed
    };
    assert_eq!(billed(line("2026-11-24T09:59:59Z", "k")), 1);
    assert_eq!(billed(line("2026-11-24T10:00:00Z", "k")), 2);
    assert_eq!(billed(line("2026-11-23T10:00:01Z", "other")), 2);
    assert_eq!(
        billed(line("2026-11-23T10:00:01Z", "k").replace("/pan", "/voter")),
        2
    );
}

#[test]
fn a_span_of_an_hour_says_something_and_a_second_less_does_not() {
    let lines = |last: &str| {
        let line = |at: &str| call(&format!(r#","status":"completed","at":"2026-11-23T{at}Z""#));
        [line("10:00:00"), line(last)].join("\n")
    };
    insta::assert_snapshot!(traffic(&lines("10:59:59"), &settings()), @"the first and the last of 2 calls with a time lie 59 min 59 s apart, and an hour is the least that says anything of a month: say how long the calls stand for (a span such as 1d), or how many calls a month brings");
    insta::assert_snapshot!(traffic(&lines("11:00:00"), &settings()), @"
    endpoint | calls | billed | no record | free | INR | p50 ms | p95 ms | times
    verify.identity.pan | 720 | 720 | 0 | 0 | 1800 | 250 | 250 | documented
    total | 720 | 720 | 0 | 0 | 1800
    Calls: 2, which stand for 1 h from the first call to the last, and one gap more; a month is 360 times that.
    That is less than a day: neither a night nor a weekend is in it.
    Calls that do not say where they went, reckoned as live: 2.
    Charged calls that do not say when they were made or what they asked, so that nothing is saved with them: 2.
    ");
    let none = call(r#","status":"completed""#);
    insta::assert_snapshot!(traffic(&none, &settings()), @"no call says when it was made: say how long the calls stand for (a span such as 1d), or how many calls a month brings");
    let stated = |span| ForecastSettings {
        span: Some(span),
        ..settings()
    };
    let short = stated(StatedSpan::Lasts(60 * 60 * 1000 - 1));
    insta::assert_snapshot!(traffic(&lines("11:00:00"), &short), @"the calls lie 1 h apart, which is longer than the span that is given for them: 59 min 59 s");
    let amount = |settings: &ForecastSettings| {
        foretold(&none, "", settings)
            .expect("a forecast")
            .total
            .amount
            .to_string()
    };
    assert_eq!(
        amount(&stated(StatedSpan::Lasts(24 * 60 * 60 * 1000))),
        "75"
    );
    assert_eq!(amount(&stated(StatedSpan::CallsPerMonth(1000))), "2500");
    assert_eq!(amount(&a_month()), "2.5");
}

#[test]
fn a_month_of_one_call_a_day_is_as_many_calls_as_it_has_days() {
    let line = |day: i32| {
        call(&format!(
            r#","status":"completed","at":"2026-11-{day:02}T12:00:00Z""#
        ))
    };
    let lines: Vec<String> = (1..=30).map(line).collect();
    let forecast = foretold(&lines.join("\n"), "", &settings()).expect("a forecast");
    assert_eq!(forecast.total.calls, 30, "{}", told(&forecast));
    let forecast = foretold(&lines[..10].join("\n"), "", &settings()).expect("a forecast");
    assert_eq!(forecast.total.calls, 30, "{}", told(&forecast));
}

#[test]
fn the_largest_numbers_that_are_read_are_reckoned() {
    let line = |at: &str| {
        call(&format!(
            r#","status":"completed","at":"{at}","charged":1000000"#
        ))
    };
    let lines: Vec<String> = (0..1000)
        .map(|at| line(&format!("1999-12-31T23:{:02}:59.{at:03}Z", at % 60)))
        .chain([line("9999-12-30T00:00:00.001Z")])
        .collect();
    let most = ForecastSettings {
        wallet: crate::rupees(100_000_000_000),
        span: Some(StatedSpan::CallsPerMonth(10_000_000_000)),
        ..settings()
    };
    let amounts = [settings(), most].map(|settings| {
        let forecast = foretold(&lines.join("\n"), "", &settings).expect("a forecast");
        let dry = forecast.wallet.map(|wallet| wallet.words);
        format!("{} {}", forecast.total.amount, dry.unwrap_or_default())
    });
    insta::assert_snapshot!(amounts.join("\n"), @"
    10267.16 
    10000000000000000 100000000000 INR run dry on day 1: call 100001 is refused, verify.identity.pan for 1000000 INR where 0 INR are left
    ");
}

#[test]
fn the_answer_given_again_tells_what_one_that_nobody_heard_came_to() {
    let amount = |first: &str, then: &str| {
        let at = |minute: usize, more: &str| {
            let own = format!(r#","at":"2026-11-01T10:0{minute}:00Z","idempotencyKey":"k""#);
            call(&format!("{own}{more}"))
        };
        let lines = [at(0, first), at(1, then)].join("\n");
        let forecast = foretold(&lines, "", &a_month()).expect("a forecast");
        forecast.total.amount.to_string()
    };
    let charged = r#","status":"completed","charged":2.5"#;
    let unanswered = r#","status":"unanswered""#;
    let late = r#","code":"SVC_SOURCE_TIMEOUT","charged":0"#;
    assert_eq!(amount(unanswered, charged), "2.5");
    let flagged = format!(r#"{charged},"replay":true"#);
    assert_eq!(amount(unanswered, &flagged), "2.5");
    assert_eq!(amount(unanswered, late), "0");
    // A charge where the first one failed for nothing is of a call of its own.
    assert_eq!(amount(late, charged), "2.5");
    assert_eq!(amount(charged, charged), "2.5");
}
