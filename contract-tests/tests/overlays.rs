//! Rows that somebody laid over the built-in ones and that can't be read: each mistake is an error with file, line,
//! snippet and what to do, in every command that asks the rows, and never the end of the program.

#[expect(dead_code, reason = "nothing here answers everything alike")]
mod outside;

use std::path::PathBuf;

use outside::Folder;

const IDENTITY: &str = "contract/operations/01-identity.toml";

/// What is done to a file: its path below `fixtures/`, what is replaced by what (everything, where that is empty), and
/// what is said of it: in which file, what, and which hint.
struct Mutilated {
    file: &'static str,
    old: &'static str,
    new: &'static str,
    says: [&'static str; 3],
}

const fn row(
    file: &'static str,
    old: &'static str,
    new: &'static str,
    says: [&'static str; 3],
) -> Mutilated {
    Mutilated {
        file,
        old,
        new,
        says,
    }
}

const MUTILATED: &[Mutilated] = &[
    row(
        IDENTITY,
        "panStatus = \"string\"\n",
        "",
        [
            "contract-tests/examples/sandbox.toml:",
            "there is no `panStatus` here",
            "Copy the files named above to examples/",
        ],
    ),
    row(
        IDENTITY,
        "id = \"verify.identity.pan\"",
        "id = \"verify.identity.pun\"",
        [
            "contract-tests/examples/accounts.toml:",
            "operation `verify.identity.pan` is not known",
            "did you mean `verify.identity.pun`?",
        ],
    ),
    row(
        IDENTITY,
        "\npan = { type",
        "\npun = { type",
        [
            "contract-tests/examples/",
            "the field `pan` is not known",
            "Copy the files named above to examples/",
        ],
    ),
    row(
        IDENTITY,
        "price_inr = 2.5\n",
        "",
        [
            "01-identity.toml:",
            "`price_inr` is missing",
            "[[operation]]",
        ],
    ),
    row(
        IDENTITY,
        "price_inr = 2.5\n",
        "price_inr = \"2.5\"\n",
        [
            "01-identity.toml:",
            "expected a number, found string",
            "price_inr = \"2.5\"",
        ],
    ),
    row(
        IDENTITY,
        "[operation.response]\npan =",
        "[operation.respons]\npan =",
        [
            "01-identity.toml:",
            "`respons` is not known here",
            "did you mean `response`?",
        ],
    ),
    row(
        IDENTITY,
        "[[category]]",
        "[[catgory]]",
        [
            "01-identity.toml:",
            "`catgory` is not known here",
            "did you mean `category`?",
        ],
    ),
    row(
        IDENTITY,
        "[[category]]",
        "[[category",
        ["01-identity.toml:3:", "unclosed array table", "[[category"],
    ),
    row(
        "contract/bundles.toml",
        "",
        "",
        [
            "contract-tests/examples/bundles.toml:",
            "bundle `full-identity-kyc` is not known",
            "Copy the files named above to examples/",
        ],
    ),
    row(
        "contract/errors.toml",
        "",
        "",
        [
            "errors.toml:1:",
            "there is no row for `SVC_INVALID_INPUT`",
            "",
        ],
    ),
    row(
        "contract/service.toml",
        "[webhook]",
        "[webhok]",
        [
            "service.toml:",
            "`webhok` is not known here",
            "did you mean `webhook`?",
        ],
    ),
    row(
        "contract/formats.toml",
        "name = \"pan\"",
        "name = \"pann\"",
        [
            "01-identity.toml:",
            "format `pan` is not known",
            "did you mean `pann`?",
        ],
    ),
    row(
        "contract/clauses.toml",
        "",
        "",
        ["bundles.toml:", "is not known", "clause = "],
    ),
    row(
        "world/kinds.toml",
        "",
        "",
        [
            "world/kinds.toml:1:",
            "there is no `kind` here",
            "begin with a copy of that one",
        ],
    ),
    row(
        "world/places.toml",
        "",
        "place = [",
        ["world/places.toml:1:", "", "place = ["],
    ),
    row(
        "world/states.toml",
        "gst = \"37\"",
        "gst = 37",
        [
            "world/states.toml:",
            "invalid type: integer `37`, expected a string",
            "code = \"AP\"",
        ],
    ),
];

/// The commands that ask the rows, without a service.
const COMMANDS: &[&[&str]] = &[
    &["list"],
    &["inputs"],
    &["run", "--base-url", "http://127.0.0.1:1", "--dry-run"],
];

fn fixtures(file: &str) -> String {
    let path: PathBuf = [env!("CARGO_MANIFEST_DIR"), "..", "fixtures", file]
        .iter()
        .collect();
    std::fs::read_to_string(path).expect("a file of rows")
}

fn lay(folder: &Folder, file: &str, text: &str) {
    let path = PathBuf::from(folder.path(file));
    std::fs::create_dir_all(path.parent().expect("a folder")).expect("a folder");
    std::fs::write(path, text).expect("it is written");
}

#[test]
fn rows_that_can_t_be_read_are_shown_with_file_and_line_and_hint() {
    for (number, it) in MUTILATED.iter().enumerate() {
        let folder = Folder::new(&format!("overlay-{number}"));
        let text = match it.old {
            "" => it.new.to_owned(),
            old => {
                let text = fixtures(it.file);
                assert!(text.contains(old), "{}: {old}", it.file);
                text.replacen(old, it.new, 1)
            }
        };
        lay(&folder, it.file, &text);
        let root = folder.path("");
        for command in COMMANDS {
            let arguments = [&["--contract", root.as_str()], *command].concat();
            let output = outside::command(&arguments).output().expect("it runs");
            let said = String::from_utf8_lossy(&output.stderr);
            let name = format!("{} {:?} {command:?}: {said}", it.file, it.old);
            assert_eq!(output.status.code(), Some(2), "{name}");
            assert!(!said.contains("panicked"), "{name}");
            for words in it.says {
                assert!(said.contains(words), "{words:?}: {name}");
            }
        }
    }
}

#[test]
fn examples_in_the_same_folder_go_with_its_rows() {
    let folder = Folder::new("overlay-examples");
    let rows = fixtures(IDENTITY).replacen("panStatus = \"string\"\n", "", 1);
    lay(&folder, IDENTITY, &rows);
    let text = include_str!("../examples/sandbox.toml");
    let said = r#""data/panStatus" = "VALID""#;
    assert!(text.contains(said), "the example that speaks of it");
    let changed = text.replace(said, r#""data/category" = "Individual""#);
    lay(&folder, "examples/sandbox.toml", &changed);
    let root = folder.path("");
    let output = outside::command(&["--contract", &root, "list"]).output();
    let output = output.expect("it runs");
    let said = String::from_utf8_lossy(&output.stderr);
    assert_eq!(output.status.code(), Some(0), "{said}");
}
