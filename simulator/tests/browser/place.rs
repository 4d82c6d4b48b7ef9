//! A part of a page, and what a person can do there: follow links, press buttons, fill in fields, each by its text.

use super::story::Story;
use super::webdriver::{Element, Failure};

/// A part of a page, by its XPath.
pub(crate) struct Place<'s> {
    story: &'s Story,
    path: String,
}

/// How often something is looked for again that a live list replaced meanwhile.
const TRIES: usize = 5;

impl<'s> Place<'s> {
    pub(super) fn new(story: &'s Story, path: String) -> Self {
        Place { story, path }
    }

    /// What is written there.
    pub(crate) fn text(&self) -> String {
        let element = self.one(&self.path, "the place");
        self.story.browser.text(&element)
    }

    pub(crate) fn follow(&self, link: &str) {
        let named = named(link);
        self.click(&format!("{}//a[{named}]", self.path), link);
    }

    /// Follows the one link that is there.
    pub(crate) fn follow_link(&self) {
        self.click(&format!("{}//a", self.path), "a link");
    }

    /// The line of a table there that has this text in it.
    pub(crate) fn row(&self, text: &str) -> Place<'s> {
        let line = format!("//tr[contains(normalize-space(.), {})]", quoted(text));
        Place::new(self.story, format!("{}{line}", self.path))
    }

    /// Whether there is something that can be pressed.
    pub(crate) fn has_button(&self, button: &str) -> bool {
        let path = format!("{}//button[{}]", self.path, named(button));
        let found = self.story.browser.find(&path);
        found.iter().any(|it| self.story.browser.is_displayed(it))
    }

    pub(crate) fn press(&self, button: &str) {
        let named = named(button);
        self.click(&format!("{}//button[{named}]", self.path), button);
    }

    /// Unfolds what is folded.
    pub(crate) fn unfold(&self, summary: &str) {
        let named = named(summary);
        self.click(&format!("{}//summary[{named}]", self.path), summary);
    }

    /// Types into a field in the place of what is in it.
    pub(crate) fn fill(&self, label: &str, text: &str) {
        let field = self.field(label);
        self.story.browser.clear(&field);
        self.story.browser.type_into(&field, text);
    }

    /// Chooses a file of this machine.
    pub(crate) fn attach(&self, label: &str, path: &str) {
        let field = self.field(label);
        self.story.browser.type_into(&field, path);
    }

    pub(crate) fn choose(&self, label: &str, option: &str) {
        let (select, named) = (self.field_path(label), named(option));
        self.click(&format!("{select}/option[{named}]"), option);
    }

    /// What is in a field.
    pub(crate) fn value(&self, label: &str) -> String {
        let field = self.field(label);
        self.story.browser.value(&field)
    }

    fn field_path(&self, label: &str) -> String {
        let (path, label) = (&self.path, quoted(label));
        let fields = "*[self::input or self::select or self::textarea]";
        format!("{path}//label[starts-with(normalize-space(.), {label})]//{fields}")
    }

    fn field(&self, label: &str) -> Element {
        self.one(&self.field_path(label), label)
    }

    fn click(&self, path: &str, what: &str) {
        for _ in 1..TRIES {
            match self.story.browser.try_click(&self.one(path, what)) {
                Err(Failure { code, .. }) if code == "stale element reference" => {}
                Err(failure) => panic!("{what}: {failure}"),
                Ok(()) => return,
            }
        }
        panic!("{what} is replaced again and again");
    }

    /// The first of its kind that can be seen.
    fn one(&self, path: &str, what: &str) -> Element {
        let browser = &self.story.browser;
        for _ in 0..TRIES {
            let found = browser.find(path).into_iter();
            let seen = found
                .into_iter()
                .find(|element| browser.is_displayed(element));
            if let Some(element) = seen {
                return element;
            }
        }
        let (at, page) = (self.story.path(), self.story.text());
        panic!("{what} is not to be seen on {at}: {page}");
    }
}

/// A condition for what is called so, by its text or for those who listen; a name that ends in `…` is the beginning of one.
fn named(name: &str) -> String {
    if let Some(begin) = name.strip_suffix('…') {
        let begin = quoted(begin);
        return format!(
            "starts-with(normalize-space(.), {begin}) or starts-with(@aria-label, {begin})"
        );
    }
    let name = quoted(name);
    format!("normalize-space(.) = {name} or @aria-label = {name}")
}

/// A text in an XPath.
pub(super) fn quoted(text: &str) -> String {
    match text.contains('\'') {
        true => format!("\"{text}\""),
        false => format!("'{text}'"),
    }
}
