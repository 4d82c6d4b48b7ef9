//! The format of scenario files as people meet it: what is reported of bad files, and the schema that
//! editors check them by, and the README.

mod bad_files;
mod readme;
mod schema;
mod taken;
