//! What this process does with signals.

/// The signals that it ignores: bit n is signal n + 1 (SigIgn, proc_pid_status(5)). `None` where that cannot be read.
pub fn ignored() -> Option<u64> {
    ignored_in(&std::fs::read_to_string("/proc/self/status").ok()?)
}

fn ignored_in(status: &str) -> Option<u64> {
    let mask = status.lines().find_map(|line| line.strip_prefix("SigIgn:"))?;
    u64::from_str_radix(mask.trim(), 16).ok()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mask_of_a_status() {
        assert_eq!(ignored_in("Name:\tx\nSigBlk:\t0000000000000000\nSigIgn:\t0000000000001001\n"), Some(0x1001));
        assert_eq!(ignored_in("Name:\tx\n"), None);
    }
}
