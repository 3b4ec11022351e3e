//! Matching a glob, row by row. The kernel tests the shapes that it can; replay and frame use this.

use super::predicate::Glob;

impl Glob {
    /// Whether the whole name matches: `*` stands for any bytes, `?` for one UTF-8 character or, where the name is not
    /// UTF-8, for one byte; everything else for itself.
    pub fn matches(&self, name: &[u8]) -> bool {
        let pattern = &self.0[..];
        let (mut p, mut n) = (0, 0);
        // Where to go on when the text after the last star does not fit: one byte later.
        let mut retry = None;
        loop {
            let step = match pattern.get(p) {
                Some(b'*') => {
                    retry = Some((p + 1, n));
                    p += 1;
                    continue;
                }
                Some(b'?') if n < name.len() => Some(character(&name[n..])),
                Some(byte) if name.get(n) == Some(byte) => Some(1),
                None if n == name.len() => return true,
                _ => None,
            };
            match (step, retry) {
                (Some(bytes), _) => {
                    p += 1;
                    n += bytes;
                }
                (None, Some((after_star, from))) if from < name.len() => {
                    retry = Some((after_star, from + 1));
                    p = after_star;
                    n = from + 1;
                }
                _ => return false,
            }
        }
    }
}

/// Bytes of the character at the start; 1 where none is.
fn character(bytes: &[u8]) -> usize {
    bytes.utf8_chunks().next().and_then(|chunk| chunk.valid().chars().next()).map_or(1, char::len_utf8)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn matches(pattern: &str, name: &[u8]) -> bool {
        Glob(pattern.as_bytes().to_vec()).matches(name)
    }

    #[test]
    fn stars_and_question_marks() {
        assert!(matches("kworker*", b"kworker/0:1"));
        assert!(matches("*/0*", b"kworker/0:1"));
        assert!(matches("*", b""));
        assert!(!matches("?", b""));
        assert!(matches("a*b*c", b"aXbYbZc"));
        assert!(!matches("a*b", b"abc"));
        assert!(matches("CPU */KVM", b"CPU 12/KVM"));
    }

    #[test]
    fn a_question_mark_is_one_character() {
        assert!(matches("caf?", "café".as_bytes()));
        assert!(!matches("caf??", "café".as_bytes()));
        assert!(matches("x?y", b"x\xffy"));
        assert!(matches("x?y", b"x\\y"));
        assert!(matches("x?y", b"x\x1by"));
    }

    #[test]
    fn many_stars_end_quickly() {
        assert!(!matches(&format!("{}b", "*a".repeat(12)), &[b'a'; 200]));
    }

    proptest::proptest! {
        #[test]
        fn a_name_matches_itself_and_any_cut_of_it(name in "[a-c]{0,12}", cut in 0usize..12) {
            let cut = cut.min(name.len());
            proptest::prop_assert!(matches(&name, name.as_bytes()));
            let starred = format!("{}*", &name[..cut]);
            proptest::prop_assert!(matches(&starred, name.as_bytes()));
            let starred = format!("*{}", &name[cut..]);
            proptest::prop_assert!(matches(&starred, name.as_bytes()));
        }
    }
}
