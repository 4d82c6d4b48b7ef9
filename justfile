# Show the recipes.
default:
    @just --list
# Formatting and lints, as CI runs them.
check:
    cargo fmt --all -- --check
    cargo clippy --workspace --all-targets -- -D warnings
# Every test that needs no outside program.
test:
    cargo test --workspace
# The console's pages in a real Chromium: all stories, or those whose names have a word in them.
browser *STORIES:
    cargo test -p svc-simulator --test browser -- --include-ignored {{STORIES}}
# The long forms of what the tests run short, fuzzing for so many seconds a target.
long SECONDS="600":
    .ci/long {{SECONDS}}
# The contract tests against a release binary started for them.
contract:
    .ci/contract
# The simulator on its defaults.
serve:
    cargo run --release
# Read every row and scenario file and report all mistakes.
scenarios *FOLDERS:
    cargo run --release --quiet -- check {{FOLDERS}}
# Take the new inline snapshots over (needs cargo-insta).
accept:
    cargo insta test --workspace --accept
# All figures: against a bare server, many rules and accounts against few, webhooks, each stage of a call, memory.
bench:
    cargo bench -p svc-benches -p svc-simulator --no-fail-fast
# Every defect made from the rows, not a sample of them.
mutants:
    SVC_MUTANTS=all cargo test --release -p svc-contract-tests --test mutants
# All that must pass before a change lands.
ci:
    .ci/run
