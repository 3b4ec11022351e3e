//! As much of Markdown as the pages use: fences, code in a line, headings and links.

/// A fenced block.
#[derive(Debug, PartialEq, Eq)]
pub struct Block {
    /// The line of its first fence, from 1.
    pub line: usize,
    /// What stands behind that fence: `schedq canonical`.
    pub info: String,
    pub text: String,
}

/// A page, taken apart.
#[derive(Debug, Default)]
pub struct Page {
    pub blocks: Vec<Block>,
    /// Code between backticks and indented commands of schedq, outside of blocks, with their line.
    pub code: Vec<(usize, String)>,
    /// Targets of links, with their line.
    pub links: Vec<(usize, String)>,
    /// What a link behind `#` can name.
    pub anchors: Vec<String>,
}

impl Page {
    pub fn read(text: &str) -> Page {
        let mut page = Page::default();
        let mut open: Option<Block> = None;
        for (index, line) in text.lines().enumerate() {
            let number = index + 1;
            let fence = line.trim_start().strip_prefix("```");
            match (&mut open, fence) {
                (Some(_), Some(_)) => page.blocks.extend(open.take()),
                (Some(block), None) => block.text.push_str(&format!("{line}\n")),
                (None, Some(info)) => {
                    open = Some(Block { line: number, info: info.trim().to_owned(), text: String::new() });
                }
                (None, None) => page.prose(number, line),
            }
        }
        page.blocks.extend(open);
        page
    }

    fn prose(&mut self, number: usize, line: &str) {
        if let Some(heading) = line.strip_prefix('#') {
            self.anchors.push(anchor(heading.trim_start_matches('#').trim()));
            return;
        }
        // An indented line is code as it stands: a command with its explanation behind two blanks, or an output.
        if let Some(code) = line.strip_prefix("    ") {
            let code = ["$ ", "sudo "].iter().fold(code, |code, lead| code.strip_prefix(lead).unwrap_or(code));
            let command = code.split("  ").next().unwrap_or_default();
            self.code.extend(command.starts_with("schedq ").then(|| (number, command.to_owned())));
            return;
        }
        for (index, part) in line.split('`').enumerate() {
            if index % 2 == 1 {
                self.code.push((number, part.replace("\\|", "|")));
                continue;
            }
            let targets = part.split("](").skip(1).filter_map(|rest| rest.split_once(')'));
            self.links.extend(targets.map(|(target, _)| (number, target.to_owned())));
        }
    }
}

/// As GitHub makes them.
fn anchor(heading: &str) -> String {
    let kept = heading.to_lowercase().replace(' ', "-");
    kept.chars().filter(|c| c.is_alphanumeric() || matches!(c, '-' | '_')).collect()
}

/// The text with everything between the two marks of `name` replaced; `None` when they are not there.
pub fn fill(text: &str, name: &str, body: &str) -> Option<String> {
    let begin = text.find(&format!("<!-- {name}: generated"))?;
    let begin = begin + text[begin..].find('\n')? + 1;
    let end = begin + text[begin..].find(&format!("<!-- {name}: end -->"))?;
    Some(format!("{}{body}{}", &text[..begin], &text[end..]))
}

#[test]
fn a_page_is_taken_apart() {
    let page = Page::read(
        "# A `b` c: d\n[x](y.md#z) and `schedq a \\| b`\n```sh extra\nls\n```\n    `no`\n    $ sudo schedq list  lists\n```text\nopen",
    );
    assert_eq!(page.anchors, ["a-b-c-d"]);
    assert_eq!(page.links, [(2, "y.md#z".to_owned())]);
    assert_eq!(page.code, [(2, "schedq a | b".to_owned()), (7, "schedq list".to_owned())]);
    let blocks: Vec<_> = page.blocks.iter().map(|b| (b.line, b.info.as_str(), b.text.as_str())).collect();
    assert_eq!(blocks, [(3, "sh extra", "ls\n"), (8, "text", "open\n")]);
}

#[test]
fn a_section_is_filled() {
    let text = "a\n<!-- x: generated so -->\nold\n<!-- x: end -->\nb";
    assert_eq!(fill(text, "x", "new\n").unwrap(), "a\n<!-- x: generated so -->\nnew\n<!-- x: end -->\nb");
    assert_eq!(fill(text, "y", ""), None);
}
