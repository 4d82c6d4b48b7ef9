//! The format of scenario files as people meet it: what is reported of bad files, and the schema that
//! editors check them by.

mod accounts;
mod bad_files;
mod schema;
mod taken;
