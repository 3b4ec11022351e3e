//! The rings of a recording: one for each CPU, so that no two CPUs wait for each other.

/// The least that the kernel takes on every architecture that schedq is built for.
const PAGE: u64 = 4096;
const LARGEST: u64 = 1 << 30;

/// What all rings together may take, bytes.
pub fn all_bytes(cpus: u32) -> u64 {
    (64 << 20).max(u64::from(cpus) * (512 << 10))
}

/// The ring of each CPU, when they share so many bytes. The kernel takes powers of two only.
pub fn bytes_of_each(all_bytes: u64, cpus: u32) -> u64 {
    let share = (all_bytes / u64::from(cpus.max(1))).clamp(PAGE, LARGEST);
    1 << share.ilog2()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn rings_are_powers_of_two_within_their_share() {
        let each = |cpus| bytes_of_each(all_bytes(cpus), cpus);
        assert_eq!([1, 2, 3, 8, 128, 1024].map(each), [64 << 20, 32 << 20, 16 << 20, 8 << 20, 512 << 10, 512 << 10]);
        assert_eq!(bytes_of_each(1, 4), PAGE);
        assert_eq!(bytes_of_each(1 << 40, 1), LARGEST);
    }
}
