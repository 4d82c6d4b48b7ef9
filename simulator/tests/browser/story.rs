//! One person's story: a simulator of its own, a browser of its own, and what a person does and sees there, by what is
//! written on the page. Whoever tells one pays the invariant at its end: the browser's own console has no complaint.

use std::panic::AssertUnwindSafe;
use std::path::PathBuf;

use serde_json::{Value, json};
use svc_simulator::{Simulator, SimulatorBuilder};
use svc_test_support::{Answer, Client, request};

use super::place::{Place, quoted};
use super::webdriver::{Browser, Driver, Scripts};

/// A simulator, whose accounts nobody else uses, and a browser before it.
pub(crate) struct Story {
    pub(crate) simulator: Simulator,
    pub(crate) browser: Browser,
    scripts: Scripts,
    /// Complaints that belong to the story, by a part of their text.
    excused: Vec<String>,
}

/// Whether an element of a kind has all of these texts in it, as a person sees them.
const SHOWS: &str = "const shows = (selector, texts) => {
    const plain = (text) => text.replace(/\\s+/g, ' ');
    const has = (it) => texts.every((text) => plain(it.innerText ?? it.textContent).includes(plain(text)));
    return [...document.querySelectorAll(selector)].some(has);
};";

/// Only a story that fails waits so long, in milliseconds.
const LONGEST_MS: u32 = 15_000;

/// How often a page is looked at that can't be waited for.
const LOOKS: usize = 500;

impl Story {
    pub(crate) fn new(driver: &Driver) -> Self {
        Story::with(driver, |builder| builder)
    }

    pub(crate) fn with(
        driver: &Driver,
        set: impl FnOnce(SimulatorBuilder) -> SimulatorBuilder,
    ) -> Self {
        Story::told(driver, Scripts::Run, set)
    }

    /// In a browser that runs no script.
    pub(crate) fn without_scripts(driver: &Driver) -> Self {
        Story::told(driver, Scripts::Off, |builder| builder)
    }

    fn told(
        driver: &Driver,
        scripts: Scripts,
        set: impl FnOnce(SimulatorBuilder) -> SimulatorBuilder,
    ) -> Self {
        let simulator = set(Simulator::builder()).start_blocking();
        Story {
            simulator: simulator.expect("it starts"),
            browser: driver.browser(scripts),
            scripts,
            excused: Vec::new(),
        }
    }

    /// A page is refused with this status in the story: the browser notes that.
    pub(crate) fn excuse(&mut self, status: u16) {
        self.excused.push(format!("with a status of {status}"));
    }

    /// Types an address of the console.
    pub(crate) fn open(&self, path: &str) {
        let url = format!("{}{path}", self.simulator.console_url());
        self.browser.go(&url);
    }

    /// The path of the page, with its query.
    pub(crate) fn path(&self) -> String {
        let url = self.browser.url();
        let path = url.strip_prefix(&self.simulator.console_url());
        path.unwrap_or(&url).to_owned()
    }

    /// The whole page.
    pub(crate) fn page(&self) -> Place<'_> {
        Place::new(self, String::new())
    }

    /// The part of the page below this heading.
    pub(crate) fn section(&self, heading: &str) -> Place<'_> {
        let heading = quoted(heading);
        let path = format!("//section[h2[starts-with(normalize-space(.), {heading})]]");
        Place::new(self, path)
    }

    /// The line of a table that has this text in it.
    pub(crate) fn row(&self, text: &str) -> Place<'_> {
        let text = quoted(text);
        Place::new(self, format!("//tr[contains(normalize-space(.), {text})]"))
    }

    pub(crate) fn follow(&self, link: &str) {
        self.page().follow(link);
    }

    pub(crate) fn press(&self, button: &str) {
        self.page().press(button);
    }

    pub(crate) fn unfold(&self, summary: &str) {
        self.page().unfold(summary);
    }

    pub(crate) fn fill(&self, label: &str, text: &str) {
        self.page().fill(label, text);
    }

    pub(crate) fn choose(&self, label: &str, option: &str) {
        self.page().choose(label, option);
    }

    /// Waits until the page shows this.
    pub(crate) fn sees(&self, text: &str) {
        self.waits_for("body", &[text]);
    }

    /// Loads the page again until it shows what another thread is about to do.
    pub(crate) fn reloads_until(&self, text: &str) {
        let seen = (0..LOOKS).any(|_| {
            self.browser.reload();
            self.shows("body", &[text])
        });
        assert!(seen, "{text} is not on {}: {}", self.path(), self.text());
    }

    /// Waits until a line of a table shows all of this.
    pub(crate) fn sees_row(&self, texts: &[&str]) {
        self.waits_for("tr", texts);
    }

    /// What the page says above all else, as soon as it says this.
    pub(crate) fn is_told(&self, text: &str) {
        self.waits_for("[role=status], [role=alert]", &[text]);
    }

    /// The page does not show this.
    pub(crate) fn misses(&self, text: &str) {
        assert!(!self.shows("body", &[text]), "{text}: {}", self.text());
    }

    pub(crate) fn shows(&self, selector: &str, texts: &[&str]) -> bool {
        let script = format!("{SHOWS} return shows(...arguments);");
        self.browser.run(&script, &[json!(selector), json!(texts)]) == true
    }

    fn waits_for(&self, selector: &str, texts: &[&str]) {
        let script = format!(
            "{SHOWS}
            const [selector, texts, done] = arguments;
            let watcher;
            const look = () => shows(selector, texts) && (watcher?.disconnect(), done(true), true);
            if (look()) return;
            watcher = new MutationObserver(look);
            watcher.observe(document, {{ subtree: true, childList: true, characterData: true, attributes: true }});
            setTimeout(() => (watcher.disconnect(), done(false)), {LONGEST_MS});"
        );
        let arguments = [json!(selector), json!(texts)];
        let seen = match self.scripts {
            // Nothing moves on such a page; the one that a form leads to may still be on its way.
            Scripts::Off => (0..LOOKS).any(|_| self.shows(selector, texts)),
            // The page may be left for another one meanwhile; then that one is looked at.
            Scripts::Run => (0..3).any(|_| {
                let waited = self.browser.run_until(&script, &arguments);
                waited.is_ok_and(|seen| seen == true)
            }),
        };
        let page = self.text();
        assert!(seen, "{texts:?} is not on {}: {page}", self.path());
    }

    /// All that the page shows.
    pub(crate) fn text(&self) -> String {
        let text = self.browser.run("return document.body.innerText;", &[]);
        text.as_str().unwrap_or_default().to_owned()
    }

    /// A call of the sandbox, or of live with such a key.
    pub(crate) fn call(&self, key: &str, path: &str, body: &Value) -> Answer {
        self.call_with(key, path, "", body)
    }

    /// One with more header lines.
    pub(crate) fn call_with(&self, key: &str, path: &str, headers: &str, body: &Value) -> Answer {
        let addresses = self.simulator.addresses();
        let to = match key.starts_with("svc_live_") {
            true => addresses.live,
            false => addresses.sandbox,
        };
        let line = format!("POST {path} HTTP/1.1");
        let headers = format!("Host: {to}\r\nAuthorization: Bearer {key}\r\n{headers}");
        Client::to(to).ask(request(&line, &headers, &body.to_string()))
    }

    /// What the service answers to a question.
    pub(crate) fn get(&self, key: &str, path: &str) -> Answer {
        let to = self.simulator.addresses().live;
        let headers = format!("Host: {to}\r\nAuthorization: Bearer {key}\r\n");
        Client::to(to).ask(request(&format!("GET {path} HTTP/1.1"), &headers, ""))
    }

    /// What the control API answers.
    pub(crate) fn console(&self, path: &str) -> Answer {
        let to = self.simulator.addresses().console;
        let line = format!("GET {path} HTTP/1.1");
        Client::to(to).ask(request(&line, &format!("Host: {to}\r\n"), ""))
    }

    /// Whether nothing of the page is to the right of the window.
    pub(crate) fn is_as_wide_as_the_window(&self) -> bool {
        let script =
            "const it = document.documentElement; return it.scrollWidth <= it.clientWidth;";
        self.browser.run(script, &[]) == true
    }

    /// Keeps a picture of the page, where somebody wants pictures.
    pub(crate) fn picture(&self, name: &str) {
        if let Some(folder) = pictures() {
            std::fs::create_dir_all(&folder).expect("a folder");
            let picture = self.browser.picture();
            std::fs::write(folder.join(format!("{name}.png")), picture).expect("a file");
        }
    }

    /// What the browser has to complain of: errors of scripts, what the policy forbids, what can't be loaded.
    fn complaints(&self) -> Vec<String> {
        let log = self.browser.log().into_iter();
        let grave = log.filter(|entry| entry["level"] == "SEVERE" || entry["level"] == "WARNING");
        let texts = grave.map(|entry| entry["message"].as_str().unwrap_or_default().to_owned());
        texts
            .filter(|text| !self.excused.iter().any(|excused| text.contains(excused)))
            .collect()
    }
}

/// Where pictures are kept.
pub(crate) fn pictures() -> Option<PathBuf> {
    let folder = std::env::var_os("SVC_PICTURES").filter(|folder| !folder.is_empty())?;
    // Tests run in the folder of their crate; whoever names a folder stands above it.
    let root = std::path::Path::new(env!("CARGO_MANIFEST_DIR")).parent();
    Some(root.expect("the workspace").join(folder))
}

impl Drop for Story {
    fn drop(&mut self) {
        if std::thread::panicking() {
            // A browser that does not answer any more gives no picture, and must not end the other stories.
            let keep = AssertUnwindSafe(|| {
                let on = self.path();
                let on = on.replace(|it: char| !it.is_ascii_alphanumeric(), "-");
                self.picture(&format!("failed{on:.80}"));
            });
            drop(std::panic::catch_unwind(keep));
            return;
        }
        let complaints = self.complaints();
        assert!(complaints.is_empty(), "the browser: {complaints:#?}");
    }
}
