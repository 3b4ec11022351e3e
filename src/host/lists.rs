//! The kernel's list format, as in `/sys/devices/system/cpu/possible`: `0-3,8`.

use std::fs;

/// The numbers of a list, ascending; `None` when the text is not a list.
pub fn parse(text: &str) -> Option<Vec<u32>> {
    let mut out = Vec::new();
    for part in text.trim().split(',').filter(|p| !p.is_empty()) {
        let (lo, hi) = part.split_once('-').unwrap_or((part, part));
        let (lo, hi): (u32, u32) = (lo.parse().ok()?, hi.parse().ok()?);
        if hi > 1 << 20 || lo > hi {
            return None;
        }
        out.extend(lo..=hi);
    }
    Some(out)
}

/// How many CPUs per-CPU maps have values for: possible ones, which may be more than are online.
pub fn possible_cpus() -> u32 {
    read("/sys/devices/system/cpu/possible").and_then(|list| list.last().map(|last| last + 1)).unwrap_or(1)
}

pub fn online_cpus() -> Option<Vec<u32>> {
    read("/sys/devices/system/cpu/online")
}

fn read(path: &str) -> Option<Vec<u32>> {
    parse(&fs::read_to_string(path).ok()?)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn kernel_lists() {
        assert_eq!(parse("0-2,8\n"), Some(vec![0, 1, 2, 8]));
        assert_eq!(parse("\n"), Some(vec![]));
        assert_eq!(parse("3-1"), None);
        assert_eq!(parse("x"), None);
    }
}
