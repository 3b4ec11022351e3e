//! What a number that the grammar refuses was meant to be: a duration with its unit apart, in full, or of two parts.

use super::diagnose::Place;
use super::error::{Error, Problem};
use super::foreign;
use super::literal;
use super::tokens::Kind;

/// Whether the place is a unit that stands apart from its number, as in `5 sec`.
pub(super) fn is_unit_apart(place: Place) -> bool {
    let number = place.before(1).is_some_and(|before| before.kind == Kind::Number && parts(before.text).1.is_empty());
    number && place.here().is_some_and(|here| here.kind == Kind::Word && foreign::unit(here.text).is_some())
}

/// Whether the place is the second part of a duration, as in `1h 30m`.
pub(super) fn is_second_part(place: Place) -> bool {
    let both = place.before(1).zip(place.here()).filter(|(before, here)| before.kind == here.kind);
    both.is_some_and(|(before, here)| {
        before.kind == Kind::Number && mixed(&[before.text, here.text].concat()).is_some()
    })
}

pub(super) fn two_parts(place: Place) -> Error {
    let parts = [place.before(1), place.here()].map(|token| token.map_or("", |token| token.text));
    let right = mixed(&parts.concat()).flatten().map(literal::write_duration);
    place.error_over(1, 0, Problem::DurationMixed { found: parts.join(" "), right })
}

/// A duration is due here, and this is none.
pub(super) fn duration_wanted(place: Place, clause: &'static str) -> Error {
    let here = place.here().expect("the caller has seen a token here");
    if here.kind != Kind::Number && !here.is(".") {
        return place.error_over(0, 0, Problem::DurationWanted { clause, found: here.text.into(), number: false });
    }
    let error = wrong_number(place);
    match error.problem {
        Problem::MalformedNumber { text } if parts(&text).1.is_empty() => {
            Error::new(error.span, Problem::DurationWanted { clause, found: text, number: true })
        }
        _ => error,
    }
}

/// Of the number at the place, with the unit that may follow it.
pub(super) fn wrong_number(place: Place) -> Error {
    let here = place.here().expect("the caller has seen a token here");
    if here.is(".") {
        let number = place.after(1).filter(|next| next.kind == Kind::Number).map_or("5", |next| next.text);
        return place.error_over(0, 1, Problem::NumberWithoutZero { text: number.into() });
    }
    let (number, suffix) = parts(here.text);
    let next_unit = place.after(1).filter(|next| next.kind == Kind::Word).and_then(|next| foreign::unit(next.text));
    if let (true, Some(unit)) = (suffix.is_empty(), next_unit) {
        let found = format!("{number} {}", place.after(1).map_or("", |next| next.text));
        return place.error_over(0, 1, Problem::DurationUnit { found, right: Some(format!("{number}{unit}")) });
    }
    let found = here.text.to_string();
    let problem = if let Some(unit) = foreign::unit(suffix) {
        Problem::DurationUnit { found, right: Some(format!("{number}{unit}")) }
    } else if let Some(total) = mixed(here.text) {
        Problem::DurationMixed { found, right: total.map(literal::write_duration) }
    } else if is_cpu_list(here.text) {
        let list = (1..place.at).rev().find(|index| place.tokens[*index].is_word("in"));
        let column = list.and_then(|index| place.tokens.get(index - 1)).or(place.before(2));
        let column = column.filter(|column| column.kind == Kind::Word).map(|column| column.text.to_string());
        Problem::CpuListAsValue { column, text: found }
    } else if !suffix.is_empty() && suffix.chars().all(char::is_alphabetic) {
        Problem::DurationUnit { found, right: None }
    } else {
        Problem::MalformedNumber { text: found }
    };
    place.error_over(0, 0, problem)
}

/// The number that a text begins with, and the rest.
fn parts(text: &str) -> (&str, &str) {
    let digits = |text: &str| text.bytes().take_while(|b| b.is_ascii_digit() || *b == b'_').count();
    let sign = usize::from(text.starts_with('-'));
    let mut end = sign + digits(&text[sign..]);
    if text[end..].starts_with('.') {
        let fraction = digits(&text[end + 1..]);
        if fraction > 0 {
            end += 1 + fraction;
        }
    }
    text.split_at(end)
}

fn is_cpu_list(text: &str) -> bool {
    let digits = |text: &str| !text.is_empty() && text.bytes().all(|b| b.is_ascii_digit());
    text.split_once('-').is_some_and(|(low, high)| digits(low) && digits(high))
}

/// Several durations in a row, as in `1h30m`: their sum, when it is one that the language has.
fn mixed(text: &str) -> Option<Option<u64>> {
    let mut rest = text;
    let mut count = 0;
    let mut total = Some(0u64);
    while !rest.is_empty() {
        let (number, tail) = parts(rest);
        let end = tail.find(|c: char| !c.is_alphabetic()).unwrap_or(tail.len());
        let unit = foreign::unit(&tail[..end])?;
        if number.is_empty() {
            return None;
        }
        let part = literal::duration(&format!("{number}{unit}")).ok();
        total = total.zip(part).and_then(|(total, part)| total.checked_add(part)).filter(|sum| *sum <= i64::MAX as u64);
        rest = &tail[end..];
        count += 1;
    }
    (count > 1).then_some(total)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_number_ends_where_its_digits_do() {
        assert_eq!(parts("5sec"), ("5", "sec"));
        assert_eq!(parts("-1_0.5ms"), ("-1_0.5", "ms"));
        assert_eq!(parts("1.5.2"), ("1.5", ".2"));
        assert_eq!(parts("7.x"), ("7", ".x"));
    }

    #[test]
    fn mixed_durations_add_up() {
        assert_eq!(mixed("1h30m"), Some(Some(5_400_000_000_000)));
        assert_eq!(mixed("1min30sec"), Some(Some(90_000_000_000)));
        assert_eq!(mixed("9999999h9999999h"), Some(None));
        assert_eq!(mixed("5s"), None);
        assert_eq!(mixed("5s3"), None);
        assert_eq!(mixed("0x1f"), None);
    }
}
