//! Plain text in sections with aligned cells.

/// Characters of a line, where its text can be broken.
const WIDTH: usize = 110;

/// Text with sections; every section's lines are indented and its cells aligned.
#[derive(Default)]
pub struct Page {
    pub text: String,
}

impl Page {
    pub fn line(&mut self, text: &str) {
        self.text.push_str(text.trim_end());
        self.text.push('\n');
    }

    pub fn section(&mut self, title: &str) {
        self.text.push('\n');
        self.line(title);
    }

    /// Rows of cells; the last cell of a row is not padded, but broken where the line would be too long.
    pub fn table(&mut self, rows: &[Vec<String>]) {
        let columns = rows.iter().map(Vec::len).max().unwrap_or(0);
        let width = |column: usize| {
            let cells = rows.iter().filter(|row| row.len() > column + 1).map(|row| row[column].chars().count());
            cells.max().unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns).map(width).collect();
        for row in rows {
            let mut line = String::from(" ");
            let (last, cells) = row.split_last().map_or(("", row.as_slice()), |(last, cells)| (last.as_str(), cells));
            for (cell, width) in cells.iter().zip(&widths) {
                let pad = width - cell.chars().count();
                line.push_str(&format!(" {cell}{} ", " ".repeat(pad)));
            }
            line.push(' ');
            self.wrapped(line, last);
        }
    }

    /// Text behind the beginning of its first line; further lines stand under the text.
    pub fn wrapped(&mut self, first: String, text: &str) {
        let indent = first.chars().count();
        let mut line = first;
        let mut fresh = true;
        for word in text.split(' ') {
            if !fresh && line.chars().count() + 1 + word.chars().count() > WIDTH {
                self.line(&line);
                line = " ".repeat(indent);
                fresh = true;
            }
            if !fresh {
                line.push(' ');
            }
            line.push_str(word);
            fresh = false;
        }
        self.line(&line);
    }
}
