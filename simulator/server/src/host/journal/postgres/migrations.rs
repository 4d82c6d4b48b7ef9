//! What the store's tables look like, step by step. Each step is written once and never changed; a store of
//! an older program is brought to the newest, one of a newer program is refused.

use tokio_postgres::Client;

use super::PostgresError;

/// The steps, in order: the first leads to version 1.
const STEPS: &[&str] = &[include_str!("migrations/0001_accounts.sql")];

/// Held while the tables are changed: replicas that start at once wait for each other. Any number that no
/// other program of the database takes.
const LOCK: i64 = 0x5356_435f_5349_4d00;

const PRODUCT: &str = env!("CARGO_PKG_VERSION");

/// Brings the tables to the newest version.
pub(super) async fn migrate(client: &mut Client, schema: &str) -> Result<(), PostgresError> {
    let transaction = client.transaction().await?;
    let lock = "SELECT pg_advisory_xact_lock($1)";
    transaction.execute(lock, &[&LOCK]).await?;
    let exists = "SELECT to_regclass('store_version') IS NOT NULL";
    let exists: bool = transaction.query_one(exists, &[]).await?.get(0);
    if !exists {
        // Who may not make one gets it made by somebody else.
        let there = "SELECT to_regnamespace($1) IS NOT NULL";
        let there: bool = transaction
            .query_one(there, &[&quoted(schema)])
            .await?
            .get(0);
        if !there {
            let create = format!("CREATE SCHEMA {}", quoted(schema));
            transaction.batch_execute(&create).await?;
        }
        let usable = "SELECT has_schema_privilege($1, 'USAGE')";
        let usable: bool = transaction.query_one(usable, &[&schema]).await?.get(0);
        if !usable {
            return Err(PostgresError::Privilege(schema.to_owned()));
        }
        transaction
            .batch_execute(
                "CREATE TABLE store_version (version integer NOT NULL, written_by text NOT NULL)",
            )
            .await?;
    }
    let found = "SELECT version, written_by FROM store_version ORDER BY version DESC LIMIT 1";
    let found = transaction.query_opt(found, &[]).await?;
    let (found, by): (i32, String) =
        found.map_or_else(|| (0, String::new()), |row| (row.get(0), row.get(1)));
    let newest = i32::try_from(STEPS.len()).expect("there are few steps");
    if found > newest {
        return Err(PostgresError::Newer {
            found,
            by,
            known: newest,
        });
    }
    for (version, step) in (1..).zip(STEPS).filter(|(version, _)| *version > found) {
        transaction.batch_execute(step).await?;
        let note = "INSERT INTO store_version (version, written_by) VALUES ($1, $2)";
        transaction.execute(note, &[&version, &PRODUCT]).await?;
    }
    transaction.commit().await?;
    Ok(())
}

fn quoted(name: &str) -> String {
    format!("\"{}\"", name.replace('"', "\"\""))
}
