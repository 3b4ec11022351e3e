//! A problem as text: what is wrong, the line with a marker under the words, and what would be right.

use annotate_snippets::renderer::DecorStyle;
use annotate_snippets::{AnnotationKind, Group, Level, Renderer, Snippet};

use super::Style;
use crate::diagnostic::{Diagnostic, Source, Span};
use crate::name::acts;

/// Wider than any terminal; a bound for the renderer where the text goes to no terminal.
const WIDEST: usize = 400;

/// Ends with a new line.
pub fn render(diagnostic: &Diagnostic, style: &Style) -> String {
    let title = harmless(&diagnostic.title, style);
    let help: Vec<String> = diagnostic.help.iter().map(|line| harmless(line, style)).collect();
    let labels: Vec<String> = diagnostic.labels.iter().map(|label| harmless(&label.text, style)).collect();
    let excerpt =
        diagnostic.source.as_ref().filter(|_| !labels.is_empty()).map(|source| Excerpt::of(source, diagnostic, style));

    let mut group = Group::with_title(Level::ERROR.primary_title(title).id(diagnostic.code));
    if let Some(excerpt) = &excerpt {
        let annotations = labels.iter().zip(&excerpt.spans).enumerate().map(|(at, (text, span))| {
            let kind = if at == 0 { AnnotationKind::Primary } else { AnnotationKind::Context };
            let annotation = kind.span(span.start..span.end);
            if text.is_empty() { annotation } else { annotation.label(text.as_str()) }
        });
        group = group.element(
            Snippet::source(excerpt.text.as_str())
                .path(excerpt.name.as_str())
                .line_start(excerpt.first_line)
                .annotations(annotations),
        );
    }
    group = group.elements(help.iter().map(|line| Level::HELP.message(line.as_str())));

    let renderer = if style.color { Renderer::styled() } else { Renderer::plain() };
    let decor = if style.unicode { DecorStyle::Unicode } else { DecorStyle::Ascii };
    let text = renderer.decor_style(decor).term_width(style.width.min(WIDEST)).render(&[group]);
    format!("{}\n", text.trim_end())
}

/// The lines that the labels lie on, made harmless, and where the labels lie in them.
struct Excerpt {
    name: String,
    text: String,
    first_line: usize,
    spans: Vec<Span>,
}

impl Excerpt {
    fn of(source: &Source, diagnostic: &Diagnostic, style: &Style) -> Self {
        let whole = &*source.text;
        let boundary = |offset: usize| floor_boundary(whole, offset);
        let spans: Vec<Span> = diagnostic
            .labels
            .iter()
            .map(|label| {
                let start = boundary(label.span.start);
                Span::new(start, boundary(label.span.end).max(start))
            })
            .collect();
        let from = spans.iter().map(|s| s.start).min().unwrap_or(0);
        let to = spans.iter().map(|s| s.end).max().unwrap_or(0);
        let from = whole[..from].rfind('\n').map_or(0, |at| at + 1);
        let to = whole[to..].find('\n').map_or(whole.len(), |at| to + at);

        let mut text = String::new();
        let mut shifted = spans.clone();
        for (offset, c) in whole[from..to].char_indices() {
            note(&spans, &mut shifted, from + offset, text.len());
            text.push(harmless_char(c, style));
        }
        note(&spans, &mut shifted, to, text.len());
        let first_line = whole[..from].matches('\n').count() + 1;
        Self { name: harmless(&source.name, style), text, first_line, spans: shifted }
    }
}

/// Ends of spans that lie at `old` in the source lie at `new` in the excerpt.
fn note(spans: &[Span], shifted: &mut [Span], old: usize, new: usize) {
    for (span, shifted) in spans.iter().zip(shifted) {
        if span.start == old {
            shifted.start = new;
        }
        if span.end == old {
            shifted.end = new;
        }
    }
}

fn floor_boundary(text: &str, offset: usize) -> usize {
    let mut at = offset.min(text.len());
    while !text.is_char_boundary(at) {
        at -= 1;
    }
    at
}

/// Text in which nothing acts on a terminal; the lines of a message become one.
fn harmless(text: &str, style: &Style) -> String {
    text.chars().map(|c| if matches!(c, '\n' | '\t') { ' ' } else { harmless_char(c, style) }).collect()
}

/// One character for one, so that columns are counted as the user's editor does.
fn harmless_char(c: char, style: &Style) -> char {
    match c {
        // The renderer knows what to do with these two.
        '\n' | '\t' => c,
        c if !acts(c) => c,
        _ if !style.unicode => '?',
        '\0'..='\x1f' => char::from_u32(0x2400 + c as u32).unwrap_or(char::REPLACEMENT_CHARACTER),
        '\x7f' => '\u{2421}',
        _ => char::REPLACEMENT_CHARACTER,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::diagnostic::Exit;

    proptest::proptest! {
        /// Whatever the text and the spans, even those that a mistake elsewhere puts outside of it.
        #[test]
        fn never_panics_and_never_acts_on_a_terminal(
            text in "(\\PC|[\\x00-\\x1f\\x7f\u{202e}é\n\t]){0,60}",
            spans in proptest::collection::vec((0usize..90, 0usize..90), 1..4),
            width in 10usize..120,
        ) {
            let source = Source::new("-e", text.as_str());
            let mut problem = Diagnostic::new("test", Exit::Wrong, format!("about {text}"));
            for (start, end) in spans {
                problem = problem.at(&source, Span::new(start, end), "here");
            }
            let style = Style { color: false, unicode: true, width, zone: jiff::tz::TimeZone::UTC };
            let shown = render(&problem, &style);
            proptest::prop_assert!(shown.chars().all(|c| c == '\n' || !c.is_control()), "{shown:?}");
            let reorders = shown.contains('\u{202e}');
            proptest::prop_assert!(!reorders);
        }
    }
}
