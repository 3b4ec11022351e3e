//! The way back from the bytes of a Parquet page to values. Every length is checked: bytes that do not fit are an error.

use polars_parquet::parquet::encoding::bitpacked::Unpackable;

/// The bytes are not what the format says.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Malformed;

type Result<T> = std::result::Result<T, Malformed>;

fn varint(bytes: &mut &[u8]) -> Result<u64> {
    let mut value = 0;
    for shift in (0..64).step_by(7) {
        let (byte, rest) = bytes.split_first().ok_or(Malformed)?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte & 0x80 == 0 {
            return Ok(value);
        }
    }
    Err(Malformed)
}

fn zigzag(bytes: &mut &[u8]) -> Result<i64> {
    let value = varint(bytes)?;
    Ok((value >> 1) as i64 ^ -((value & 1) as i64))
}

fn take<'a>(bytes: &mut &'a [u8], length: usize) -> Result<&'a [u8]> {
    let (taken, rest) = bytes.split_at_checked(length).ok_or(Malformed)?;
    *bytes = rest;
    Ok(taken)
}

/// Calls back with each run of the mixed encoding: a value and how often, or packed values.
fn runs<'a>(
    mut bytes: &'a [u8],
    width: usize,
    count: usize,
    mut each: impl FnMut(Run<'a>, usize) -> Result<()>,
) -> Result<()> {
    let mut left = count;
    while left > 0 {
        let head = varint(&mut bytes)?;
        let length = usize::try_from(head >> 1).map_err(|_| Malformed)?;
        if head & 1 == 0 {
            let mut value = [0; 4];
            let stored = take(&mut bytes, width.div_ceil(8))?;
            value[..stored.len()].copy_from_slice(stored);
            let length = length.min(left);
            if length == 0 {
                return Err(Malformed);
            }
            each(Run::Same(u32::from_le_bytes(value)), length)?;
            left -= length;
        } else {
            let values = length.checked_mul(8).ok_or(Malformed)?.min(left);
            // The last group may be cut short where nothing is left to be said.
            let size = (length.checked_mul(width).ok_or(Malformed)?).min(bytes.len());
            if values == 0 || size * 8 < values * width {
                return Err(Malformed);
            }
            each(Run::Packed(take(&mut bytes, size)?), values)?;
            left -= values;
        }
    }
    Ok(())
}

enum Run<'a> {
    Same(u32),
    Packed(&'a [u8]),
}

/// Takes the definition levels off the front of a page: a bit for each row, and how many are set.
pub fn levels(page: &mut &[u8], rows: usize, bits: &mut Vec<u8>) -> Result<usize> {
    let (length, rest) = page.split_first_chunk::<4>().ok_or(Malformed)?;
    *page = rest;
    let levels = take(page, u32::from_le_bytes(*length) as usize)?;
    bits.clear();
    bits.resize(rows.div_ceil(8), 0);
    let mut at = 0;
    let mut present = 0;
    runs(levels, 1, rows, |run, count| {
        match run {
            Run::Same(0) => {}
            Run::Same(1) => {
                set(bits, at, at + count);
                present += count;
            }
            Run::Same(_) => return Err(Malformed),
            Run::Packed(packed) if at % 8 == 0 => {
                let whole = count / 8;
                bits[at / 8..at / 8 + whole].copy_from_slice(&packed[..whole]);
                present += ones(&packed[..whole]);
                if count % 8 != 0 {
                    let last = packed[whole] & ((1 << (count % 8)) - 1);
                    bits[at / 8 + whole] |= last;
                    present += last.count_ones() as usize;
                }
            }
            Run::Packed(packed) => {
                for i in 0..count {
                    if packed[i / 8] >> (i % 8) & 1 == 1 {
                        bits[(at + i) / 8] |= 1 << ((at + i) % 8);
                        present += 1;
                    }
                }
            }
        }
        at += count;
        Ok(())
    })?;
    Ok(present)
}

/// Counted by words: byte by byte takes longer than all else that is done to levels.
fn ones(bytes: &[u8]) -> usize {
    let (words, rest) = bytes.as_chunks::<8>();
    let words: usize = words.iter().map(|word| u64::from_le_bytes(*word).count_ones() as usize).sum();
    words + rest.iter().map(|byte| byte.count_ones() as usize).sum::<usize>()
}

/// Sets the bits from one to before another.
fn set(bits: &mut [u8], from: usize, to: usize) {
    let (first, last) = (from.next_multiple_of(8).min(to), to / 8 * 8);
    (from..first).for_each(|at| bits[at / 8] |= 1 << (at % 8));
    if first < last {
        bits[first / 8..last / 8].fill(u8::MAX);
    }
    (last.max(first)..to).for_each(|at| bits[at / 8] |= 1 << (at % 8));
}

/// Keys of a dictionary, in the narrowest form that they can be had in without work.
pub enum Keys<'a> {
    /// All are the same.
    Same(u32),
    Bytes(&'a [u8]),
    Words(&'a [u32]),
}

/// Room for keys that have to be unpacked.
#[derive(Default)]
pub struct Room {
    bytes: Vec<u8>,
    words: Vec<u32>,
}

/// Keys of a dictionary with so many entries.
pub fn keys<'a>(page: &'a [u8], count: usize, entries: usize, room: &'a mut Room) -> Result<Keys<'a>> {
    if count == 0 {
        return Ok(Keys::Words(&[]));
    }
    let (width, bytes) = page.split_first().ok_or(Malformed)?;
    let width = usize::from(*width);
    if width > 32 {
        return Err(Malformed);
    }
    let mut only = None;
    runs(bytes, width, count, |run, length| {
        only = (length == count).then_some(run);
        Ok(())
    })?;
    let keys = match only {
        Some(Run::Same(value)) => Keys::Same(value),
        Some(Run::Packed(packed)) if width == 8 => Keys::Bytes(&packed[..count]),
        Some(Run::Packed(packed)) if matches!(width, 1 | 2 | 4) => {
            spread(packed, width, count, &mut room.bytes);
            Keys::Bytes(&room.bytes)
        }
        _ => {
            room.words.clear();
            room.words.reserve(count);
            runs(bytes, width, count, |run, count| {
                match run {
                    Run::Same(value) => room.words.extend(std::iter::repeat_n(value, count)),
                    Run::Packed(packed) => unpack(packed, width, count, &mut room.words),
                }
                Ok(())
            })?;
            Keys::Words(&room.words)
        }
    };
    let most = match keys {
        Keys::Same(key) => key,
        Keys::Bytes(keys) => keys.iter().copied().max().unwrap_or(0).into(),
        Keys::Words(keys) => keys.iter().copied().max().unwrap_or(0),
    };
    if most as usize >= entries { Err(Malformed) } else { Ok(keys) }
}

impl Keys<'_> {
    /// To each key its value in the dictionary that the keys were tested against.
    pub fn values<T: Copy + Default>(&self, dictionary: &[T], out: &mut Vec<T>, count: usize) {
        out.clear();
        let of = |key: usize| dictionary.get(key).copied().unwrap_or_default();
        match self {
            Keys::Same(key) => out.resize(count, of(*key as usize)),
            Keys::Bytes(keys) => {
                // A table that every byte is in needs no test a key.
                let mut table = [T::default(); 256];
                table.iter_mut().zip(dictionary).for_each(|(entry, value)| *entry = *value);
                out.extend(keys.iter().map(|key| table[usize::from(*key)]));
            }
            Keys::Words(keys) => out.extend(keys.iter().map(|key| of(*key as usize))),
        }
    }
}

fn unpack(packed: &[u8], width: usize, count: usize, out: &mut Vec<u32>) {
    match width {
        8 => out.extend(packed[..count].iter().map(|byte| u32::from(*byte))),
        16 => out.extend(packed.as_chunks::<2>().0[..count].iter().map(|bytes| u32::from(u16::from_le_bytes(*bytes)))),
        _ => {
            let mut read = Bits { bytes: packed, at: 0 };
            out.extend((0..count).map(|_| read.next(width) as u32));
        }
    }
}

/// Numbers of 1, 2 or 4 bits, each to a byte.
fn spread(packed: &[u8], width: usize, count: usize, out: &mut Vec<u8>) {
    let per_byte = 8 / width;
    let bytes = &packed[..count.div_ceil(per_byte)];
    // What was there is written over: there is no need to clear it.
    out.resize(bytes.len() * per_byte, 0);
    match width {
        1 => out.as_chunks_mut::<8>().0.iter_mut().zip(bytes).for_each(|(out, byte)| *out = flags(*byte)),
        2 => {
            let four = |byte: u8| [byte & 3, byte >> 2 & 3, byte >> 4 & 3, byte >> 6];
            out.as_chunks_mut::<4>().0.iter_mut().zip(bytes).for_each(|(out, byte)| *out = four(*byte));
        }
        _ => out.as_chunks_mut::<2>().0.iter_mut().zip(bytes).for_each(|(out, byte)| *out = [byte & 15, byte >> 4]),
    }
    out.truncate(count);
}

/// The bits of a byte as bytes, the lowest first: each is put where only it stands, and carried to the top of its byte.
fn flags(byte: u8) -> [u8; 8] {
    let apart = u64::from(byte).wrapping_mul(0x0101_0101_0101_0101) & 0x8040_2010_0804_0201;
    ((apart + 0x7f7f_7f7f_7f7f_7f7f) >> 7 & 0x0101_0101_0101_0101).to_le_bytes()
}

/// Numbers of any width up to 57 bits, one after the other.
struct Bits<'a> {
    bytes: &'a [u8],
    at: usize,
}

impl Bits<'_> {
    fn next(&mut self, width: usize) -> u64 {
        let from = self.at / 8;
        let word = match self.bytes.get(from..).and_then(|rest| rest.first_chunk::<8>()) {
            Some(word) => *word,
            None => {
                let mut word = [0; 8];
                let rest = self.bytes.get(from..).unwrap_or(&[]);
                word[..rest.len()].copy_from_slice(rest);
                word
            }
        };
        let value = u64::from_le_bytes(word) >> (self.at % 8) & ((1 << width) - 1);
        self.at += width;
        value
    }
}

/// Whole numbers by their differences (DELTA_BINARY_PACKED), and whether none is less than the one before, all taken as
/// numbers without a sign.
pub fn deltas(mut page: &[u8], count: usize, out: &mut Vec<u64>) -> Result<bool> {
    const MINI: usize = 32;
    out.clear();
    let block = usize::try_from(varint(&mut page)?).map_err(|_| Malformed)?;
    let minis = usize::try_from(varint(&mut page)?).map_err(|_| Malformed)?;
    let total = usize::try_from(varint(&mut page)?).map_err(|_| Malformed)?;
    if total != count || minis == 0 || minis > 64 || block != minis.checked_mul(MINI).ok_or(Malformed)? {
        return Err(Malformed);
    }
    let mut value = zigzag(&mut page)? as u64;
    if count == 0 {
        return Ok(true);
    }
    // Whole groups are written; what is too much is taken away in the end.
    out.reserve(count + MINI);
    out.push(value);
    let mut rises = true;
    let mut unpacked = [0u32; MINI];
    while out.len() < count {
        let least = zigzag(&mut page)?;
        rises &= least >= 0;
        let widths = take(&mut page, minis)?;
        for width in widths {
            if out.len() >= count {
                break;
            }
            let width = usize::from(*width);
            let packed = take(&mut page, width * MINI / 8)?;
            if width <= 32 {
                let before = value;
                u32::unpack(packed, width, &mut unpacked);
                out.extend(unpacked.iter().map(|delta| {
                    value = value.wrapping_add(least as u64).wrapping_add(u64::from(*delta));
                    value
                }));
                // So few steps of at most 33 bits go once round the numbers at most, and least is a step too.
                rises &= value >= before && least < 1 << 32;
            } else if width <= 64 {
                let mut room = [0u8; MINI * 8 + 16];
                room[..packed.len()].copy_from_slice(packed);
                rises = false;
                out.extend((0..MINI).map(|i| {
                    let at = i * width;
                    let word = u128::from_le_bytes(*room[at / 8..].first_chunk().expect("room behind"));
                    let delta = (word >> (at % 8)) as u64 & (u64::MAX >> (64 - width));
                    value = value.wrapping_add(least as u64).wrapping_add(delta);
                    value
                }));
            } else {
                return Err(Malformed);
            }
        }
    }
    out.truncate(count);
    Ok(rises || out.is_sorted())
}

/// Bits, each as a byte; none when all of them are 0.
pub fn bits(page: &[u8], count: usize, out: &mut Vec<u8>) -> Result<()> {
    let bytes = page.get(..count.div_ceil(8)).ok_or(Malformed)?;
    out.clear();
    if bytes.iter().any(|byte| *byte != 0) {
        spread(bytes, 1, count, out);
    }
    Ok(())
}

pub fn int32s(page: &[u8], count: usize) -> Result<Vec<i32>> {
    let values = page.as_chunks::<4>().0.get(..count).ok_or(Malformed)?;
    Ok(values.iter().map(|bytes| i32::from_le_bytes(*bytes)).collect())
}

pub fn int64s(page: &[u8], count: usize) -> Result<Vec<i64>> {
    let values = page.as_chunks::<8>().0.get(..count).ok_or(Malformed)?;
    Ok(values.iter().map(|bytes| i64::from_le_bytes(*bytes)).collect())
}

pub fn texts(mut page: &[u8], count: usize) -> Result<Vec<String>> {
    let mut out = Vec::new();
    for _ in 0..count {
        let length = take(&mut page, 4)?;
        let length = u32::from_le_bytes(length.try_into().map_err(|_| Malformed)?) as usize;
        let text = std::str::from_utf8(take(&mut page, length)?).map_err(|_| Malformed)?;
        out.push(text.to_owned());
    }
    Ok(out)
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::encode;
    use super::*;

    fn words(keys: &Keys, count: usize) -> Vec<u32> {
        match keys {
            Keys::Same(key) => vec![*key; count],
            Keys::Bytes(keys) => keys.iter().map(|key| u32::from(*key)).collect(),
            Keys::Words(keys) => keys.to_vec(),
        }
    }

    fn roundtrip_deltas(values: &[i64]) {
        let mut page = Vec::new();
        encode::deltas(values, &mut page);
        let mut back = Vec::new();
        let values: Vec<u64> = values.iter().map(|value| *value as u64).collect();
        assert_eq!(deltas(&page, values.len(), &mut back), Ok(values.is_sorted()));
        assert_eq!(back, values);
        for cut in 0..page.len() {
            let _ = deltas(&page[..cut], values.len(), &mut back);
        }
    }

    /// Worked out by hand after the example in Encodings.md: 7, 5, 3, 1, 2, 3, 4, 5.
    #[test]
    fn differences_as_the_format_says() {
        let mut page = Vec::new();
        encode::deltas(&[7, 5, 3, 1, 2, 3, 4, 5], &mut page);
        // Block of 128, 4 minis, 8 values, the first 7 (zigzag 14); the least difference -2 (zigzag 3), widths 2 0 0 0; then
        // 0 0 0 3 3 3 3 in two bits each, and zeros up to 32.
        let mut wanted = vec![0x80, 0x01, 4, 8, 14, 3, 2, 0, 0, 0, 0b1100_0000, 0b0011_1111];
        wanted.resize(wanted.len() + 6, 0);
        assert_eq!(page, wanted);
    }

    #[test]
    fn differences_of_any_width() {
        roundtrip_deltas(&[]);
        roundtrip_deltas(&[5]);
        roundtrip_deltas(&[i64::MIN, i64::MAX, 0, -1, i64::MAX, i64::MIN]);
        for width in 0..64 {
            let values: Vec<i64> = (0..200).map(|i: i64| i.wrapping_mul(1 << width)).collect();
            roundtrip_deltas(&values);
        }
    }

    #[test]
    fn levels_as_bits_and_as_runs() {
        let mut page = Vec::new();
        encode::sparse_levels(&[2, 3, 9], 12, &mut page);
        assert_eq!(page, [10, 0, 0, 0, 4, 0, 4, 1, 10, 0, 2, 1, 4, 0]);
        let mut bits = Vec::new();
        let mut rest = page.as_slice();
        assert_eq!(levels(&mut rest, 12, &mut bits), Ok(3));
        assert_eq!((bits.as_slice(), rest.len()), (&[0b0000_1100, 0b0000_0010][..], 0));
        let mut page = Vec::new();
        encode::levels(&bits, 12, 3, &mut page);
        assert_eq!(page, [3, 0, 0, 0, 5, 0b0000_1100, 0b0000_0010]);
        let mut again = Vec::new();
        assert_eq!(levels(&mut page.as_slice(), 12, &mut again), Ok(3));
        assert_eq!(again, bits);
    }

    proptest! {
        #[test]
        fn sparse_levels_come_back(lengths in proptest::collection::vec(1usize..40, 1..20), first in any::<bool>()) {
            let rows: Vec<bool> = lengths
                .iter()
                .zip([first, !first].into_iter().cycle())
                .flat_map(|(length, value)| std::iter::repeat_n(value, *length))
                .collect();
            let present: Vec<u32> = (0..rows.len() as u32).filter(|row| rows[*row as usize]).collect();
            let mut page = Vec::new();
            encode::sparse_levels(&present, rows.len(), &mut page);
            let mut bits = Vec::new();
            prop_assert_eq!(levels(&mut page.as_slice(), rows.len(), &mut bits), Ok(present.len()));
            let back: Vec<bool> = (0..rows.len()).map(|row| bits[row / 8] >> (row % 8) & 1 == 1).collect();
            prop_assert_eq!(back, rows);
        }

        #[test]
        fn numbers_come_back(values in proptest::collection::vec(any::<i64>(), 0..300)) {
            roundtrip_deltas(&values);
        }

        #[test]
        fn keys_come_back(width in 0u32..32, seed in proptest::collection::vec(any::<u32>(), 1..100)) {
            let values: Vec<u32> = seed.iter().map(|v| v & ((1u32 << width) - 1)).collect();
            let mut page = Vec::new();
            encode::keys(&values, &mut page);
            let most = *values.iter().max().unwrap() as usize;
            let mut room = Room::default();
            let back = keys(&page, values.len(), most + 1, &mut room).map(|keys| words(&keys, values.len()));
            prop_assert_eq!(back, Ok(values.clone()));
            prop_assert!(keys(&page, values.len(), most, &mut room).is_err());
        }

        #[test]
        fn any_bytes_are_an_answer_or_an_error(page in proptest::collection::vec(any::<u8>(), 0..80), count in 0usize..70) {
            let (mut longs, mut room, mut bytes) = (Vec::new(), Room::default(), Vec::new());
            let _ = deltas(&page, count, &mut longs);
            let _ = keys(&page, count, 9, &mut room);
            let _ = levels(&mut page.as_slice(), count, &mut bytes);
            let _ = texts(&page, count);
        }

        #[test]
        fn bits_come_back(values in proptest::collection::vec(any::<bool>(), 0..50)) {
            let mut page = Vec::new();
            encode::bits(values.iter().copied(), &mut page);
            let mut back = Vec::new();
            bits(&page, values.len(), &mut back).unwrap();
            let wanted = if values.contains(&true) { values } else { Vec::new() };
            prop_assert_eq!(back, wanted.iter().map(|v| u8::from(*v)).collect::<Vec<_>>());
        }
    }
}
