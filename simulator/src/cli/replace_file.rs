//! Writes a file in the place of another: whoever reads it meanwhile finds the one or the other, whole, and where it
//! fails nothing is left behind.

use std::fs::{self, Permissions};
use std::io::{self, Write as _};
use std::path::Path;

/// Writes this text. The file has the permissions of the one before, or those of any new file.
pub(super) fn replace_file(path: &Path, text: &str) -> io::Result<()> {
    let permissions = match fs::metadata(path) {
        Ok(before) => Some(before.permissions()),
        Err(_) => new_file(),
    };
    replace_with(path, text, permissions)
}

/// Writes this text for the owner of the file alone.
pub(super) fn replace_private_file(path: &Path, text: &str) -> io::Result<()> {
    // Drafts are for their owner alone.
    replace_with(path, text, None)
}

fn replace_with(path: &Path, text: &str, permissions: Option<Permissions>) -> io::Result<()> {
    let folder = path.parent().filter(|it| !it.as_os_str().is_empty());
    let mut draft = tempfile::Builder::new();
    draft.prefix(".svc-simulator-");
    if let Some(permissions) = permissions.clone() {
        draft.permissions(permissions);
    }
    // It removes itself unless it takes its place.
    let mut draft = draft.tempfile_in(folder.unwrap_or(Path::new(".")))?;
    draft.write_all(text.as_bytes())?;
    draft.as_file().sync_all()?;
    draft.persist(path)?;
    Ok(())
}

/// What the process's mask leaves of it is what any other program would give a new file.
#[cfg(unix)]
fn new_file() -> Option<Permissions> {
    use std::os::unix::fs::PermissionsExt as _;
    Some(Permissions::from_mode(0o666))
}

#[cfg(not(unix))]
fn new_file() -> Option<Permissions> {
    None
}
