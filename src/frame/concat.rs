//! The batches of `every`, put together to the result of the whole window.

use super::{Frame, FrameError, Mark};
use crate::frame::meta::ColumnMeta;

/// All rows in the batches' order. The source's counters run on over the window, so the last batch's stand; totals are
/// those of each batch and add up. `None` without a batch.
pub fn concat(frames: Vec<Frame>) -> Result<Option<Frame>, FrameError> {
    let mut frames = frames.into_iter();
    let Some(mut whole) = frames.next() else { return Ok(None) };
    for next in frames {
        let height = whole.data.height();
        whole.data.vstack_mut(&next.data)?;
        if let (Some(samples), Some(more)) = (&mut whole.samples, next.samples) {
            samples.append(more, height);
        }
        for (column, more) in whole.columns.iter_mut().zip(&next.columns) {
            if !column.marks.is_empty() || !more.marks.is_empty() {
                column.marks.resize(height, Mark::None);
                column.marks.extend(&more.marks);
                column.marks.resize(whole.data.height(), Mark::None);
            }
        }
        let mut meta = next.meta;
        meta.started_ns = whole.meta.started_ns.min(meta.started_ns);
        meta.totals.count += whole.meta.totals.count;
        meta.totals.sum = match (whole.meta.totals.sum, meta.totals.sum) {
            (Some(a), Some(b)) => Some(a.saturating_add(b)),
            _ => None,
        };
        // A filter that was decided in the frame counts batch by batch.
        meta.rows_matched = meta.rows_matched.max(meta.totals.count);
        whole.meta.groups.append(&mut meta.groups);
        meta.groups = std::mem::take(&mut whole.meta.groups);
        let mut notes = std::mem::take(&mut whole.meta.notes);
        let new = |note: &String| !notes.contains(note);
        let more: Vec<String> = meta.notes.drain(..).filter(new).collect();
        notes.extend(more);
        meta.notes = notes;
        whole.meta = meta;
    }
    whole.data.rechunk_mut();
    whole.meta.columns = whole.columns.iter().map(ColumnMeta::of).collect();
    Ok(Some(whole))
}
