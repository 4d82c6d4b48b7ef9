//! A client of the WebDriver protocol, which is JSON over HTTP: one chromedriver for all tests, and sessions of
//! Chromium. Knows nothing of the console.

use std::net::SocketAddr;
use std::process::{Command, Stdio};
use std::time::Duration;

use data_encoding::BASE64;
use serde_json::{Value, json};
use svc_test_support::{Client, Folder, Program, request};

/// What WebDriver calls the member that names an element.
const ELEMENT: &str = "element-6066-11e4-a52e-4f735466cecf";

/// Only a machine that is very busy takes so long for one command.
const LONGEST: Duration = Duration::from_secs(120);

/// The programs that are needed, as Debian's packages `chromium` and `chromium-driver` have them.
pub(crate) const PROGRAMS: [&str; 2] = ["chromium", "chromedriver"];

/// How Chromium is started: it asks nobody outside of this machine for anything.
const ARGUMENTS: [&str; 14] = [
    "--headless",
    "--no-sandbox",
    "--disable-gpu",
    "--disable-quic",
    "--disable-dev-shm-usage",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--disable-breakpad",
    "--force-prefers-reduced-motion",
    "--hide-scrollbars",
    "--window-size=1280,900",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
];

/// A running chromedriver. It ends with the value.
pub(crate) struct Driver {
    address: SocketAddr,
    _program: Program,
}

/// Whether a session runs the scripts of pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Scripts {
    Run,
    Off,
}

/// A Chromium of its own, with an empty profile. It ends with the value.
pub(crate) struct Browser {
    driver: SocketAddr,
    session: String,
    _profile: Folder,
}

/// Something on a page.
#[derive(Debug, Clone)]
pub(crate) struct Element(String);

/// What a command came to that was not done.
#[derive(Debug, thiserror::Error)]
#[error("{code}: {message}")]
pub(crate) struct Failure {
    pub(crate) code: String,
    message: String,
}

impl Driver {
    pub(crate) fn start() -> Self {
        let mut command = Command::new("chromedriver");
        command.arg("--port=0").stderr(Stdio::null());
        let mut program = Program::start(&mut command);
        let port = loop {
            let line = program.line();
            let begin = "ChromeDriver was started successfully on port ";
            if let Some(port) = line.strip_prefix(begin) {
                break port.trim_end_matches('.').parse().expect("a port");
            }
        };
        Driver {
            address: SocketAddr::from(([127, 0, 0, 1], port)),
            _program: program,
        }
    }

    pub(crate) fn browser(&self, scripts: Scripts) -> Browser {
        let profile = Folder::new("chromium");
        let mut arguments = ARGUMENTS.map(str::to_owned).to_vec();
        arguments.push(format!("--user-data-dir={}", profile.path().display()));
        // Two is how the settings of Chromium say "block".
        let setting = match scripts {
            Scripts::Run => 1,
            Scripts::Off => 2,
        };
        let asked = json!({ "capabilities": { "alwaysMatch": {
            "browserName": "chrome",
            // A page that does not come is said to, before the client gives up.
            "timeouts": { "pageLoad": 60_000, "script": 60_000 },
            "goog:loggingPrefs": { "browser": "ALL" },
            "goog:chromeOptions": {
                "args": arguments,
                "prefs": { "profile.managed_default_content_settings.javascript": setting },
            },
        } } });
        let started = ask(self.address, "POST", "/session", Some(&asked)).expect("Chromium starts");
        let session = started["sessionId"].as_str().expect("a session");
        Browser {
            driver: self.address,
            session: session.to_owned(),
            _profile: profile,
        }
    }
}

impl Browser {
    fn command(&self, method: &str, path: &str, body: &Value) -> Result<Value, Failure> {
        let path = format!("/session/{}{path}", self.session);
        let body = Some(body).filter(|_| method == "POST");
        ask(self.driver, method, &path, body)
    }

    fn post(&self, path: &str, body: &Value) -> Value {
        let done = self.command("POST", path, body);
        done.unwrap_or_else(|failure| panic!("{path} {body}: {failure}"))
    }

    fn get(&self, path: &str) -> String {
        let got = self.command("GET", path, &Value::Null);
        let got = got.unwrap_or_else(|failure| panic!("{path}: {failure}"));
        got.as_str().unwrap_or_default().to_owned()
    }

    /// Loads a page.
    pub(crate) fn go(&self, url: &str) {
        self.post("/url", &json!({ "url": url }));
    }

    pub(crate) fn back(&self) {
        self.post("/back", &json!({}));
    }

    pub(crate) fn reload(&self) {
        self.post("/refresh", &json!({}));
    }

    pub(crate) fn url(&self) -> String {
        self.get("/url")
    }

    pub(crate) fn title(&self) -> String {
        self.get("/title")
    }

    /// The elements that an XPath finds.
    pub(crate) fn find(&self, path: &str) -> Vec<Element> {
        let found = self.post("/elements", &json!({ "using": "xpath", "value": path }));
        let found = found.as_array().expect("a list").iter();
        found
            .filter_map(|it| it[ELEMENT].as_str())
            .map(|id| Element(id.to_owned()))
            .collect()
    }

    pub(crate) fn is_displayed(&self, element: &Element) -> bool {
        let path = format!("/element/{}/displayed", element.0);
        let shown = self.command("GET", &path, &Value::Null);
        shown.is_ok_and(|shown| shown == true)
    }

    /// What is written there.
    pub(crate) fn text(&self, element: &Element) -> String {
        self.get(&format!("/element/{}/text", element.0))
    }

    /// What is in a field.
    pub(crate) fn value(&self, element: &Element) -> String {
        self.get(&format!("/element/{}/property/value", element.0))
    }

    /// Clicks, and waits for the page that a click leads to.
    ///
    /// # Errors
    /// What was in the way.
    pub(crate) fn try_click(&self, element: &Element) -> Result<(), Failure> {
        let path = format!("/element/{}/click", element.0);
        self.command("POST", &path, &json!({})).map(drop)
    }

    pub(crate) fn clear(&self, element: &Element) {
        self.post(&format!("/element/{}/clear", element.0), &json!({}));
    }

    pub(crate) fn type_into(&self, element: &Element, text: &str) {
        let keys = json!({ "text": text });
        self.post(&format!("/element/{}/value", element.0), &keys);
    }

    /// Types on the keyboard, to whatever has the focus.
    pub(crate) fn keys(&self, keys: &str) {
        let strokes = keys.chars().flat_map(|key| {
            ["keyDown", "keyUp"].map(|kind| json!({ "type": kind, "value": key.to_string() }))
        });
        let strokes: Vec<Value> = strokes.collect();
        let keyboard = json!({ "type": "key", "id": "keyboard", "actions": strokes });
        self.post("/actions", &json!({ "actions": [keyboard] }));
    }

    /// What a function's body returns on the page.
    pub(crate) fn run(&self, script: &str, arguments: &[Value]) -> Value {
        self.post(
            "/execute/sync",
            &json!({ "script": script, "args": arguments }),
        )
    }

    /// What a function's body calls its last argument with.
    pub(crate) fn run_until(&self, script: &str, arguments: &[Value]) -> Result<Value, Failure> {
        let body = json!({ "script": script, "args": arguments });
        self.command("POST", "/execute/async", &body)
    }

    /// A command of the DevTools protocol.
    pub(crate) fn devtools(&self, command: &str, parameters: &Value) -> Value {
        let body = json!({ "cmd": command, "params": parameters });
        self.post("/goog/cdp/execute", &body)
    }

    /// What the console of the developer tools got since it was last asked.
    pub(crate) fn log(&self) -> Vec<Value> {
        let log = self.post("/se/log", &json!({ "type": "browser" }));
        log.as_array().expect("a list").clone()
    }

    /// The name of the window, or tab.
    pub(crate) fn window(&self) -> String {
        self.get("/window")
    }

    /// Opens another window and goes on there. Gives the names of both.
    pub(crate) fn open_window(&self) -> [String; 2] {
        let first = self.window();
        let second = self.post("/window/new", &json!({ "type": "window" }));
        let second = second["handle"].as_str().expect("a handle").to_owned();
        self.go_to_window(&second);
        [first, second]
    }

    /// Opens a tab before the others, and goes on there.
    pub(crate) fn open_tab(&self) {
        let tab = self.post("/window/new", &json!({ "type": "tab" }));
        self.go_to_window(tab["handle"].as_str().expect("a handle"));
    }

    pub(crate) fn go_to_window(&self, handle: &str) {
        self.post("/window", &json!({ "handle": handle }));
    }

    /// A picture of the whole page, as PNG.
    pub(crate) fn picture(&self) -> Vec<u8> {
        let size = self.run(
            "const it = document.documentElement; return [it.clientWidth, it.scrollHeight];",
            &[],
        );
        let clip = json!({ "x": 0, "y": 0, "width": size[0], "height": size[1], "scale": 1 });
        let asked = json!({ "captureBeyondViewport": true, "clip": clip });
        let taken = self.devtools("Page.captureScreenshot", &asked);
        let data = taken["data"].as_str().expect("a picture");
        BASE64.decode(data.as_bytes()).expect("base 64")
    }
}

impl Drop for Driver {
    fn drop(&mut self) {
        // Ends what is left of its sessions.
        let _ = ask(self.address, "GET", "/shutdown", None);
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        // It may have ended by itself.
        let _ = self.command("DELETE", "", &Value::Null);
    }
}

fn ask(
    driver: SocketAddr,
    method: &str,
    path: &str,
    body: Option<&Value>,
) -> Result<Value, Failure> {
    let mut client = Client::to(driver);
    client.wait_up_to(LONGEST);
    let body = body.map_or_else(String::new, Value::to_string);
    let line = format!("{method} {path} HTTP/1.1");
    let headers = format!("Host: {driver}\r\nConnection: close\r\n");
    let answer = client.ask(request(&line, &headers, &body));
    let value = answer.json()["value"].clone();
    if answer.status == 200 {
        return Ok(value);
    }
    let text = |name: &str| value[name].as_str().unwrap_or_default().to_owned();
    Err(Failure {
        code: text("error"),
        message: text("message"),
    })
}
