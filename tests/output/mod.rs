//! What people and other programs get to see.

mod files;
mod formats;
mod messages;
mod people;
mod pictures;

use jiff::tz::TimeZone;
use schedq::output::Style;

/// A UTF-8 terminal of 80 columns without colours, in UTC.
pub fn style() -> Style {
    Style { color: false, unicode: true, width: 80, zone: TimeZone::UTC }
}

pub fn ascii() -> Style {
    Style { unicode: false, ..style() }
}

pub fn narrow() -> Style {
    Style { width: 40, ..style() }
}

/// Names as hostile as a task may have, as they stand in a frame.
pub fn hostile() -> Vec<String> {
    let names: [&[u8]; 8] = [
        b"a,b",
        b"a\"b",
        b"=cmd|' /C'!A0",
        b"\x1b[31mred",
        b"line\nbreak",
        b"\xff\xfe",
        b"back\\slash",
        "\u{202e}evil".as_bytes(),
    ];
    names.iter().map(|name| schedq::name::escape(name)).collect()
}
