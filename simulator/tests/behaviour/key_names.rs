//! A key's name is one account's, whoever else takes it at the same moment. The moment is when the journal writes: by
//! then everything has been looked at, and nothing is known yet.

use std::sync::{Arc, OnceLock, Weak};

use parking_lot::Mutex;
use svc_simulator::engine::call::request::Environment;
use svc_simulator::engine::state::entry::{Change, Entry};
use svc_simulator::host::Host;
use svc_simulator::host::journal::{
    Appended, Commit, Journal, JournalError, Loading, MemoryJournal, Stored, Version,
};

use crate::scene::{PAN, Scene};

/// What somebody else does, and says of how it went.
type Meanwhile = Box<dyn FnOnce(&Host) -> String + Send>;

/// While it writes the next entry that adds a key or begins an account, somebody else does something.
#[derive(Default)]
struct Busy {
    inner: MemoryJournal,
    host: OnceLock<Weak<Host>>,
    meanwhile: Mutex<Option<Meanwhile>>,
    /// How that went.
    went: Mutex<String>,
    /// Whether that entry is then refused.
    refuses: bool,
}

impl Journal for Busy {
    fn append(
        &self,
        account: &Arc<str>,
        after: Version,
        entries: &[Entry],
    ) -> Result<Appended, JournalError> {
        let of_names = |change: &Change| {
            matches!(
                change,
                Change::KeyAdded { .. } | Change::Opened(_) | Change::Forked(_)
            )
        };
        let mut changes = entries.iter().flat_map(|entry| &entry.changes);
        let meanwhile = changes.any(of_names).then(|| self.meanwhile.lock().take());
        let host = self.host.get().and_then(Weak::upgrade);
        if let Some((meanwhile, host)) = meanwhile.flatten().zip(host) {
            // On a thread of its own, as any other caller is.
            let went = std::thread::spawn(move || meanwhile(&host)).join();
            *self.went.lock() = went.expect("nothing panics");
            if self.refuses {
                return Err(JournalError::new("the disk is full".to_owned()));
            }
        }
        self.inner.append(account, after, entries)
    }

    fn load(&self, account: &Arc<str>) -> Loading {
        self.inner.load(account)
    }

    fn load_all(&self) -> Result<Vec<Stored>, JournalError> {
        self.inner.load_all()
    }

    fn close(&self, account: &Arc<str>, after: Version) -> Result<Commit, JournalError> {
        self.inner.close(account, after)
    }
}

/// A scene with this journal.
fn scene(refuses: bool) -> (Scene, Arc<Busy>) {
    let journal = Arc::new(Busy {
        refuses,
        ..Busy::default()
    });
    let scene = Scene::with_accounts_and_journal("", journal.clone());
    let host = Arc::downgrade(&scene.host);
    journal.host.set(host).expect("once");
    (scene, journal)
}

impl Busy {
    fn meanwhile(&self, does: impl FnOnce(&Host) -> String + Send + 'static) {
        self.went.lock().clear();
        *self.meanwhile.lock() = Some(Box::new(does));
    }

    /// How it went what somebody else did meanwhile.
    fn went(&self) -> String {
        self.went.lock().clone()
    }
}

/// Somebody adds a key of this name to another account.
fn adds(name: &'static str) -> impl FnOnce(&Host) -> String + Send {
    move |host| {
        let other = host
            .account("broke")
            .expect("it is declared")
            .expect("it is declared");
        match host.add_key(&other, Environment::Test, name) {
            Ok(_) => "added".to_owned(),
            Err(error) => error.to_string(),
        }
    }
}

const REFUSED: &str = "there already is a key of this name";

/// The account that a key of this name belongs to.
fn owner(scene: &Scene, name: &str) -> Option<String> {
    let known = scene.host.directory().known(name, scene.host.now());
    known.map(|cell| cell.id().to_string())
}

/// How a call with this key is answered.
fn call(scene: &Scene, name: &str) -> String {
    scene
        .post(PAN, r#"{"pan": "AAAAA0000A"}"#)
        .by(name)
        .outcome()
}

#[test]
fn a_name_that_two_accounts_want_at_once_is_the_first_ones() {
    let (scene, journal) = scene(false);
    let local = scene.account("local");
    journal.meanwhile(adds("shared"));
    let added = scene.host.add_key(&local, Environment::Test, "shared");
    assert!(added.is_ok());
    assert_eq!(journal.went(), REFUSED);
    assert_eq!(owner(&scene, "shared").as_deref(), Some("local"));
    assert_eq!(call(&scene, "shared"), "200 completed");
    // It is its name in the other environment, too.
    assert!(
        scene
            .host
            .add_key(&local, Environment::Live, "shared")
            .is_ok()
    );
    assert_eq!(adds("shared")(&scene.host), REFUSED);
}

#[test]
fn the_name_of_a_rotated_key_is_taken_by_nobody_meanwhile() {
    let (scene, journal) = scene(false);
    let local = scene.account("local");
    journal.meanwhile(adds("local.2"));
    let rotation = scene.host.rotate_key(&local, Environment::Test);
    assert_eq!(rotation.expect("it goes well").key.name(), "local.2");
    assert_eq!(journal.went(), REFUSED);
    assert_eq!(owner(&scene, "local.2").as_deref(), Some("local"));
}

#[test]
fn the_name_of_an_account_that_is_being_opened_is_taken_by_nobody_meanwhile() {
    let (scene, journal) = scene(false);
    journal.meanwhile(adds("local_meera"));
    assert_eq!(call(&scene, "local_meera"), "200 completed");
    assert_eq!(journal.went(), REFUSED);
    assert_eq!(owner(&scene, "local_meera").as_deref(), Some("local_meera"));
    // Nor is that of a copy.
    journal.meanwhile(adds("copied"));
    let copied = scene.host.fork(&scene.account("local"), &"copied".into());
    assert!(copied.is_ok());
    assert_eq!(journal.went(), REFUSED);
    assert_eq!(owner(&scene, "copied").as_deref(), Some("copied"));
}

#[test]
fn an_account_is_not_opened_under_a_name_that_a_key_is_about_to_have() {
    let (scene, journal) = scene(false);
    let local = scene.account("local");
    journal.meanwhile(|host| match host.account("local_meera") {
        Ok(_) => "opened".to_owned(),
        Err(error) => error.to_string(),
    });
    let added = scene.host.add_key(&local, Environment::Test, "local_meera");
    assert!(added.is_ok());
    assert_eq!(
        journal.went(),
        "there already is an account or a key named local_meera"
    );
    assert_eq!(owner(&scene, "local_meera").as_deref(), Some("local"));
}

#[test]
fn a_name_is_free_again_where_the_key_was_not_written() {
    let (scene, journal) = scene(true);
    let local = scene.account("local");
    journal.meanwhile(adds("shared"));
    let added = scene.host.add_key(&local, Environment::Test, "shared");
    assert!(added.is_err());
    assert_eq!(journal.went(), REFUSED);
    assert_eq!(adds("shared")(&scene.host), "added");
    assert_eq!(owner(&scene, "shared").as_deref(), Some("broke"));
}
