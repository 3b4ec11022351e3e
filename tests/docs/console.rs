//! Blocks of `console` are typed as they stand, and what comes must be what stands there.
//!
//! The blocks of a page share one folder and one order, so that a later one may ask what an earlier one saved. `console live`
//! is not run: it needs root, or its answer is another one every time.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::process::Command;

use super::markdown::Block;

/// What was typed, and the lines that came.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Typed {
    /// With all lines of a command that goes on.
    pub command: String,
    pub output: String,
}

impl Typed {
    /// The file that is written by `cat > FILE <<'END'`, and what is written to it.
    pub fn written(&self) -> Option<(String, String)> {
        let (file, text) = self.command.strip_prefix("cat > ")?.split_once(" <<'END'\n")?;
        Some((file.to_owned(), text.strip_suffix("END")?.to_owned()))
    }
}

/// What stands before a line that is typed, and before one that goes on.
const PROMPT: &str = "$ ";
const MORE: &str = "> ";

/// Between the outputs of two commands.
const MARK: &str = "\u{1e}";

/// The commands of a block with their outputs. Lines before the first command are nothing.
pub fn typed(text: &str) -> Vec<Typed> {
    let mut all: Vec<Typed> = Vec::new();
    let mut goes_on = false;
    for line in text.lines() {
        if let Some(command) = line.strip_prefix(PROMPT) {
            all.push(Typed { command: command.to_owned(), output: String::new() });
            goes_on = true;
            continue;
        }
        let Some(last) = all.last_mut() else { continue };
        match line.strip_prefix(MORE).filter(|_| goes_on) {
            Some(more) => last.command += &format!("\n{more}"),
            None => {
                last.output += &format!("{line}\n");
                goes_on = false;
            }
        }
    }
    all
}

/// The block as it is on a page.
pub fn shown(typed: &[Typed]) -> String {
    typed
        .iter()
        .map(|one| format!("{PROMPT}{}\n{}", one.command.replace('\n', &format!("\n{MORE}")), one.output))
        .collect()
}

/// Types the commands in `folder`, one shell for all, and gives back what came.
///
/// # Panics
/// When there is no shell, or it does not come to an end.
pub fn run(all: &[Typed], folder: &Path) -> Vec<Typed> {
    let mut script = String::from("exec 2>&1\n");
    for one in all {
        // The mark leaves `$?` as the command left it.
        script += &format!("{}\nstatus=$?; printf '{MARK}'; (exit $status)\n", one.command);
    }
    let file = folder.join(".typed");
    fs::write(&file, script).expect("a file");
    let program = Path::new(env!("CARGO_BIN_EXE_schedq")).parent().expect("a folder");
    let mut path = OsString::from(program);
    path.push(":");
    path.push(std::env::var_os("PATH").unwrap_or_default());
    let ran = Command::new("timeout")
        .args(["120", "bash"])
        .arg(&file)
        .current_dir(folder)
        .env("PATH", path)
        .env("HOME", folder)
        .env_remove("XDG_CONFIG_HOME")
        .env_remove("NO_COLOR")
        .envs([("LC_ALL", "C.UTF-8"), ("TZ", "UTC"), ("TERM", "dumb")])
        .output()
        .expect("bash and timeout");
    let text = String::from_utf8(ran.stdout).expect("UTF-8");
    let outputs: Vec<&str> = text.split(MARK).collect();
    assert_eq!(outputs.len(), all.len() + 1, "not all commands came to an end:\n{text}");
    let came = |(one, output): (&Typed, &str)| {
        // Blanks at the end of a line are nobody's answer.
        let lines: String = output.lines().map(|line| format!("{}\n", line.trim_end())).collect();
        Typed { command: one.command.clone(), output: lines }
    };
    all.iter().zip(outputs).map(came).collect()
}

/// The page with every block of `console` as it comes now. Blocks are in order.
pub fn renewed(page: &str, blocks: &[Block], folder: &Path) -> String {
    let mut lines: Vec<String> = page.lines().map(str::to_owned).collect();
    let mut new: Vec<(usize, usize, String)> = Vec::new();
    for block in blocks.iter().filter(|block| block.info == "console") {
        let now = shown(&run(&typed(&block.text), folder));
        new.push((block.line, block.text.lines().count(), now));
    }
    // From the end, so that line numbers before it stay what they are.
    for (line, count, text) in new.into_iter().rev() {
        lines.splice(line..line + count, text.lines().map(str::to_owned));
    }
    lines.join("\n") + "\n"
}

#[test]
fn what_is_typed_is_told_from_what_comes() {
    let text = "$ a\n> b\nx\n> y\n$ c\n";
    let read = typed(text);
    let one = |command: &str, output: &str| Typed { command: command.into(), output: output.into() };
    assert_eq!(read, [one("a\nb", "x\n> y\n"), one("c", "")]);
    assert_eq!(shown(&read), text);
    assert_eq!(one("cat > x.sq <<'END'\na\nEND", "").written(), Some(("x.sq".into(), "a\n".into())));
    assert_eq!(read[0].written(), None);
}

#[test]
fn commands_are_run_and_their_outputs_kept_apart() {
    let folder = tempfile::tempdir().expect("a folder");
    let page = "# A\n```console\n$ echo one; echo two >&2\nold\n$ (exit 3)\n$ echo $?\n```\nb\n```console live\n$ false\nx\n```\n\
                ```console\n$ cat > f <<'END'\n> 1 $x\n> END\n$ cat f\n```\n";
    let blocks = super::Page::read(page).blocks;
    let new = renewed(page, &blocks, folder.path());
    assert_eq!(
        new,
        "# A\n```console\n$ echo one; echo two >&2\none\ntwo\n$ (exit 3)\n$ echo $?\n3\n```\nb\n```console live\n$ false\nx\n```\n\
         ```console\n$ cat > f <<'END'\n> 1 $x\n> END\n$ cat f\n1 $x\n```\n"
    );
    assert_eq!(renewed(&new, &super::Page::read(&new).blocks, folder.path()), new);
}
