//! How a name that is only bytes (a task's comm, a cgroup's path) becomes text, and back.
//!
//! A task may call itself anything: quotes, newlines, terminal escapes, broken UTF-8. The text made here is one-to-one
//! with the bytes, so two names never merge, and it holds no control character, so it never acts on a terminal.

/// Printable text for any bytes: what is not UTF-8 or is a control or format-changing character becomes `\xNN` a byte,
/// and a backslash is doubled.
pub fn escape(bytes: &[u8]) -> String {
    let mut out = String::with_capacity(bytes.len());
    for chunk in bytes.utf8_chunks() {
        for c in chunk.valid().chars() {
            if c == '\\' {
                out.push_str("\\\\");
            } else if acts(c) {
                let mut buffer = [0; 4];
                push_hex(&mut out, c.encode_utf8(&mut buffer).as_bytes());
            } else {
                out.push(c);
            }
        }
        push_hex(&mut out, chunk.invalid());
    }
    out
}

/// The bytes that [`escape`] made into `text`.
pub fn unescape(text: &str) -> Vec<u8> {
    let bytes = text.as_bytes();
    let mut out = Vec::with_capacity(bytes.len());
    let mut i = 0;
    while i < bytes.len() {
        if bytes[i] == b'\\' && bytes.get(i + 1) == Some(&b'\\') {
            out.push(b'\\');
            i += 2;
        } else if let Some(byte) = hex_at(bytes, i) {
            out.push(byte);
            i += 4;
        } else {
            out.push(bytes[i]);
            i += 1;
        }
    }
    out
}

fn hex_at(bytes: &[u8], i: usize) -> Option<u8> {
    let part = bytes.get(i..i + 4)?;
    if &part[..2] != b"\\x" {
        return None;
    }
    u8::from_str_radix(std::str::from_utf8(&part[2..]).ok()?, 16).ok()
}

/// Whether a character would do something to a terminal instead of standing there:
/// control characters, line separators, and the marks that reorder or hide text (bidirectional controls, zero widths).
pub fn acts(c: char) -> bool {
    c.is_control()
        || matches!(c, '\u{200b}'..='\u{200f}' | '\u{2028}'..='\u{202e}' | '\u{2060}'..='\u{206f}' | '\u{feff}' | '\u{061c}')
}

fn push_hex(out: &mut String, bytes: &[u8]) {
    for byte in bytes {
        out.push_str(&format!("\\x{byte:02x}"));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn hostile_names_stay_apart_and_harmless() {
        assert_eq!(escape(b"nginx: worker"), "nginx: worker");
        assert_eq!(escape(b"a\x1b[31mb\n"), "a\\x1b[31mb\\x0a");
        assert_eq!(escape(b"\xff\xfe"), "\\xff\\xfe");
        assert_eq!(escape(b"\\xff"), "\\\\xff");
        assert_eq!(escape("é\u{202e}".as_bytes()), "é\\xe2\\x80\\xae");
    }

    proptest::proptest! {
        #[test]
        fn escape_is_one_to_one(bytes in proptest::collection::vec(proptest::num::u8::ANY, 0..20)) {
            proptest::prop_assert_eq!(unescape(&escape(&bytes)), bytes);
        }
    }
}
