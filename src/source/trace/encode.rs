//! Values as the bytes of a Parquet page (github.com/apache/parquet-format, Encodings.md): levels, keys of a dictionary,
//! differences, bits and plain values.
//!
//! Keys are given whole bytes (or whole fractions of one): packed tighter they would be smaller before compression and larger
//! after it, since zstd sees only bytes; and they are unpacked at the speed of copying.

/// Stands for a missing value among keys.
pub const MISSING: u32 = u32::MAX;

/// How many differences share a width; four such make a block.
const MINI: usize = 32;
const BLOCK: usize = 4 * MINI;

pub fn varint(mut value: u64, out: &mut Vec<u8>) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

fn zigzag(value: i64, out: &mut Vec<u8>) {
    varint((value << 1 ^ value >> 63) as u64, out);
}

/// Definition levels of rows of which the bitmap says whether they have a value, with their length in front.
pub fn levels(bits: &[u8], rows: usize, present: usize, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend([0; 4]);
    if present == 0 || present == rows {
        varint((rows as u64) << 1, out);
        out.push(u8::from(present > 0));
    } else {
        let bytes = rows.div_ceil(8);
        varint((bytes as u64) << 1 | 1, out);
        out.extend_from_slice(&bits[..bytes]);
    }
    close(at, out);
}

/// The same of rows of which few have a value: these are named, in order.
pub fn sparse_levels(present: &[u32], rows: usize, out: &mut Vec<u8>) {
    let at = out.len();
    out.extend([0; 4]);
    let mut run = |value: u8, length: usize| {
        if length > 0 {
            varint((length as u64) << 1, out);
            out.push(value);
        }
    };
    let mut next = 0;
    let mut i = 0;
    while i < present.len() {
        let start = present[i] as usize;
        let mut end = start;
        while i < present.len() && present[i] as usize == end {
            end += 1;
            i += 1;
        }
        run(0, start - next);
        run(1, end - start);
        next = end;
    }
    run(0, rows - next);
    close(at, out);
}

fn close(at: usize, out: &mut [u8]) {
    let length = (out.len() - at - 4) as u32;
    out[at..at + 4].copy_from_slice(&length.to_le_bytes());
}

/// Keys of a dictionary, none of them missing.
pub fn keys(keys: &[u32], out: &mut Vec<u8>) {
    let most = keys.iter().copied().max().unwrap_or(0);
    let width = match u32::BITS - most.leading_zeros() {
        tight @ 0..=2 => tight,
        3..=4 => 4,
        5..=8 => 8,
        9..=16 => 16,
        _ => 32,
    };
    out.push(width as u8);
    if keys.iter().all(|key| *key == most) {
        varint((keys.len() as u64) << 1, out);
        out.extend_from_slice(&most.to_le_bytes()[..width.div_ceil(8) as usize]);
        return;
    }
    let groups = keys.len().div_ceil(8);
    varint((groups as u64) << 1 | 1, out);
    let end = out.len() + groups * width as usize;
    match width {
        8 => out.extend(keys.iter().map(|key| *key as u8)),
        16 => out.extend(keys.iter().flat_map(|key| (*key as u16).to_le_bytes())),
        32 => out.extend(keys.iter().flat_map(|key| key.to_le_bytes())),
        _ => {
            let per_byte = (8 / width) as usize;
            let byte = |keys: &[u32]| keys.iter().rev().fold(0, |byte, key| byte << width | *key as u8);
            out.extend(keys.chunks(per_byte).map(byte));
        }
    }
    out.resize(end, 0);
}

/// Whole numbers by their differences (DELTA_BINARY_PACKED).
pub fn deltas(values: &[i64], out: &mut Vec<u8>) {
    varint(BLOCK as u64, out);
    varint((BLOCK / MINI) as u64, out);
    varint(values.len() as u64, out);
    zigzag(values.first().copied().unwrap_or(0), out);
    let mut deltas = [0i64; BLOCK];
    let mut before = values.first().copied().unwrap_or(0);
    for block in values.get(1..).unwrap_or(&[]).chunks(BLOCK) {
        for (delta, value) in deltas.iter_mut().zip(block) {
            *delta = value.wrapping_sub(before);
            before = *value;
        }
        let deltas = &mut deltas[..block.len()];
        let least = deltas.iter().copied().min().unwrap_or(0);
        zigzag(least, out);
        let widths = out.len();
        out.extend([0; BLOCK / MINI]);
        for (mini, deltas) in deltas.chunks_mut(MINI).enumerate() {
            let mut all = 0;
            for delta in deltas.iter_mut() {
                *delta = delta.wrapping_sub(least);
                all |= *delta as u64;
            }
            let width = u64::BITS - all.leading_zeros();
            out[widths + mini] = width as u8;
            pack(deltas, width, out);
        }
    }
}

/// Always [`MINI`] numbers of so many bits, the last ones 0 if there are fewer.
fn pack(values: &[i64], width: u32, out: &mut Vec<u8>) {
    let end = out.len() + width as usize * MINI / 8;
    let (mut held, mut bits) = (0u64, 0);
    for value in values {
        let value = *value as u64;
        held |= value << bits;
        bits += width;
        if bits >= 64 {
            out.extend_from_slice(&held.to_le_bytes());
            bits -= 64;
            // What did not fit; a shift by 64 is none.
            held = value.checked_shr(width - bits).unwrap_or(0);
        }
    }
    out.extend_from_slice(&held.to_le_bytes());
    out.resize(end, 0);
}

pub fn bits(values: impl Iterator<Item = bool>, out: &mut Vec<u8>) {
    let mut held = 0;
    let mut count = 0;
    for value in values {
        held |= u8::from(value) << (count % 8);
        count += 1;
        if count % 8 == 0 {
            out.push(held);
            held = 0;
        }
    }
    if count % 8 != 0 {
        out.push(held);
    }
}

pub fn texts<'a>(values: impl Iterator<Item = &'a str>, out: &mut Vec<u8>) {
    for value in values {
        out.extend_from_slice(&(value.len() as u32).to_le_bytes());
        out.extend_from_slice(value.as_bytes());
    }
}
