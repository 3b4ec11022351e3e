//! Values of maps are arrays of native 64-bit words.

/// The words of a value; a length that is no multiple of eight loses its last bytes, which no value of ours has.
pub fn words(bytes: &[u8]) -> impl Iterator<Item = u64> {
    bytes.chunks_exact(8).map(|chunk| u64::from_ne_bytes(chunk.try_into().expect("a chunk of eight bytes")))
}
