//! What `scenarios/README.md` says is so: its reference is the schema's, its stories are good files and
//! come out as they say.

use std::path::Path;
use std::process::Command;

const README: &str = include_str!("../../../scenarios/README.md");
const WORKS: &str = "a test on a machine that works";

fn run(arguments: &[&str]) -> (Option<i32>, String, String) {
    let out = Command::new(env!("CARGO_BIN_EXE_svc-simulator"))
        .args(arguments)
        .env_clear()
        .output()
        .expect(WORKS);
    let text = |bytes| String::from_utf8(bytes).expect("text");
    (out.status.code(), text(out.stdout), text(out.stderr))
}

#[test]
fn the_reference_is_what_the_command_prints() {
    let (code, printed, _) = run(&["schema", "--markdown"]);
    assert_eq!(code, Some(0));
    let (_, rest) = README
        .split_once("<!-- what svc-simulator schema --markdown prints -->\n")
        .expect("the beginning of the tables");
    let (tables, _) = rest
        .split_once("<!-- end of what it prints -->")
        .expect("the end of the tables");
    assert_eq!(tables.trim(), printed.trim(), "copy the tables anew");
}

#[test]
fn every_key_of_the_reference_is_explained() {
    let (_, printed, _) = run(&["schema", "--markdown"]);
    let bare = printed.lines().find(|line| line.contains("|  |"));
    assert_eq!(bare, None);
}

#[test]
fn every_story_is_a_good_file_and_comes_out_as_it_says() {
    let (_, stories) = README.split_once("\n## Stories\n").expect("the stories");
    let (stories, _) = stories.split_once("\n## ").expect("what comes after them");
    let blocks = stories.split("```toml\n").skip(1);
    let blocks: Vec<&str> = blocks
        .filter_map(|block| block.split("```").next())
        .collect();
    assert!(blocks.len() >= 5, "{}", blocks.len());
    for (number, story) in blocks.iter().enumerate() {
        let expected = story.matches("[[expect]]").count();
        assert!(expected > 0, "it says what comes out:\n{story}");
        let name = format!("story-{number}");
        let folder = Path::new(env!("CARGO_TARGET_TMPDIR")).join(name);
        std::fs::create_dir_all(&folder).expect(WORKS);
        std::fs::write(folder.join("story.toml"), story).expect(WORKS);
        let folder = folder.display().to_string();
        let (code, output, mistakes) = run(&["check", &folder]);
        assert_eq!((code, mistakes.as_str()), (Some(0), ""), "{story}");
        let met = format!("{expected} expectations met");
        assert!(output.contains(&met), "{output}");
        assert_eq!(run(&["fmt", "--check", &folder]).0, Some(0), "{story}");
    }
}
