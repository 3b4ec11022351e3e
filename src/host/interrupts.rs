//! Interrupts, how often they came, and which CPUs they may go to.

use std::fs;

/// One line of /proc/interrupts.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Interrupt {
    /// A number, or the short name of one that has none (`LOC`, `RES`).
    pub irq: String,
    pub name: String,
    /// Since boot, of all CPUs.
    pub count: u64,
    /// The CPUs that it goes to, in the kernel's list format; of numbered ones only.
    pub cpus: Option<String>,
}

pub fn all() -> Vec<Interrupt> {
    let text = fs::read_to_string("/proc/interrupts").unwrap_or_default();
    let mut found = parse(&text);
    for one in found.iter_mut().filter(|one| one.irq.bytes().all(|b| b.is_ascii_digit())) {
        // What the kernel made of the wish, where it tells (4.15, 0d3f54257dc3).
        let list = ["effective_affinity_list", "smp_affinity_list"]
            .iter()
            .find_map(|file| fs::read_to_string(format!("/proc/irq/{}/{file}", one.irq)).ok());
        one.cpus = list.map(|list| list.trim().to_owned()).filter(|list| !list.is_empty());
    }
    found
}

fn parse(text: &str) -> Vec<Interrupt> {
    let mut lines = text.lines();
    let cpus = lines.next().map_or(0, |header| header.split_ascii_whitespace().count());
    let one = |line: &str| {
        let (irq, rest) = line.trim_start().split_once(':')?;
        let words: Vec<&str> = rest.split_ascii_whitespace().collect();
        // `ERR` and `MIS` have one number for the whole machine.
        let counts = words.iter().take(cpus).take_while(|word| word.bytes().all(|b| b.is_ascii_digit())).count();
        let count = words[..counts].iter().filter_map(|word| word.parse::<u64>().ok()).sum();
        Some(Interrupt { irq: irq.to_owned(), name: words[counts..].join(" "), count, cpus: None })
    };
    lines.filter_map(one).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lines_with_and_without_numbers() {
        let text = "           CPU0       CPU1       \n  1:          9          0   IO-APIC   1-edge      i8042\n\
            LOC:        100        200   Local timer interrupts\nERR:          3\n";
        let of = |irq: &str, name: &str, count| Interrupt { irq: irq.into(), name: name.into(), count, cpus: None };
        assert_eq!(
            parse(text),
            [of("1", "IO-APIC 1-edge i8042", 9), of("LOC", "Local timer interrupts", 300), of("ERR", "", 3)]
        );
        assert_eq!(parse(""), []);
    }
}
