//! Which known word a misspelt one was meant to be.

/// The candidate that was most likely meant: at most one slip in a short word, two or three in a longer one.
pub fn nearest<'a>(word: &str, candidates: impl IntoIterator<Item = &'a str>) -> Option<&'a str> {
    let word = word.to_ascii_lowercase();
    let allowed = match word.len() {
        0..=1 => return None,
        2..=4 => 1,
        5..=7 => 2,
        _ => 3,
    };
    candidates
        .into_iter()
        .map(|candidate| (strsim::damerau_levenshtein(&word, candidate), candidate))
        .filter(|(distance, candidate)| *distance <= allowed && *distance < candidate.len())
        .min_by_key(|(distance, _)| *distance)
        .map(|(_, candidate)| candidate)
}
