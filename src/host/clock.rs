//! The clocks of this machine, as its kernel has them.

use std::sync::OnceLock;

use nix::time::{ClockId, clock_gettime};

const SECOND: i64 = 1_000_000_000;

/// CLOCK_MONOTONIC of the kernel, ns: the clock of bpf_ktime_get_ns() and of task_struct.start_time. In a time namespace
/// the clock that a process reads is another one (time_namespaces(7)).
pub fn monotonic_ns() -> u64 {
    static OFFSET: OnceLock<i64> = OnceLock::new();
    let offset = *OFFSET.get_or_init(|| {
        std::fs::read_to_string("/proc/self/timens_offsets").map_or(0, |offsets| offset_of(&offsets, "monotonic"))
    });
    read(ClockId::CLOCK_MONOTONIC).saturating_sub(offset).max(0) as u64
}

/// CLOCK_REALTIME, ns.
pub fn realtime_ns() -> i64 {
    read(ClockId::CLOCK_REALTIME)
}

fn read(clock: ClockId) -> i64 {
    let time = clock_gettime(clock).expect("both clocks always exist");
    time.tv_sec() * SECOND + time.tv_nsec()
}

/// By how many ns a clock of the namespace is ahead; lines are `NAME SECONDS NANOSECONDS`.
fn offset_of(offsets: &str, clock: &str) -> i64 {
    let line = offsets.lines().map(|line| line.split_whitespace().collect::<Vec<_>>());
    let of = |words: Vec<&str>| match words[..] {
        [name, seconds, nanoseconds] if name == clock => {
            Some(seconds.parse::<i64>().ok()?.checked_mul(SECOND)?.checked_add(nanoseconds.parse().ok()?)?)
        }
        _ => None,
    };
    line.filter_map(of).next().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_of_a_time_namespace() {
        let offsets = "monotonic      100000         5\nboottime           -3 999999999\n";
        assert_eq!(offset_of(offsets, "monotonic"), 100_000_000_000_005);
        assert_eq!(offset_of(offsets, "boottime"), -3 * SECOND + 999_999_999);
        assert_eq!((offset_of("", "monotonic"), offset_of("monotonic x 0\n", "monotonic")), (0, 0));
    }
}
