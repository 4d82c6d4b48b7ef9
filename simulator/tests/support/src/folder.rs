//! Folders of a test's own.

use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicUsize, Ordering};

use super::WORKS;

/// A new, empty folder, gone when this is dropped.
pub struct Folder(PathBuf);

impl Folder {
    /// A folder with this in its name.
    #[must_use]
    pub fn new(name: &str) -> Self {
        static MADE: AtomicUsize = AtomicUsize::new(0);
        let number = MADE.fetch_add(1, Ordering::Relaxed);
        let name = format!("svc-{name}-{}-{number}", std::process::id());
        let path = std::env::temp_dir().join(name);
        // A process of this number may have left one behind.
        let _ = std::fs::remove_dir_all(&path);
        std::fs::create_dir_all(&path).expect(WORKS);
        Folder(path)
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }

    /// Writes a file in it, with the folders above that.
    pub fn write(&self, name: &str, text: &str) {
        let path = self.0.join(name);
        std::fs::create_dir_all(path.parent().expect(WORKS)).expect(WORKS);
        std::fs::write(path, text).expect(WORKS);
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        // What is left over in a folder for temporary files does no harm.
        let _ = std::fs::remove_dir_all(&self.0);
    }
}
