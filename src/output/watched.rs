//! The writers of polars tell of a failed write in words only; this keeps the error itself, so that a closed pipe and a
//! full disk are known as such.

use std::io::{self, Write};

use polars::prelude::{PolarsError, PolarsResult};

pub(super) struct Watched<'a> {
    out: &'a mut dyn Write,
    failed: Option<io::Error>,
}

impl Watched<'_> {
    /// Lets one of polars' writers write to `out`.
    pub fn through<T>(out: &mut dyn Write, write: impl FnOnce(&mut Watched) -> PolarsResult<T>) -> io::Result<T> {
        let mut watched = Watched { out, failed: None };
        let result = write(&mut watched);
        match (watched.failed, result) {
            (Some(error), _) => Err(error),
            (None, Ok(value)) => Ok(value),
            (None, Err(error)) => Err(as_io(error)),
        }
    }

    fn watch<T>(&mut self, result: io::Result<T>) -> io::Result<T> {
        result.inspect_err(|error| {
            if error.kind() != io::ErrorKind::Interrupted {
                let copy = match error.raw_os_error() {
                    Some(code) => io::Error::from_raw_os_error(code),
                    None => io::Error::new(error.kind(), error.to_string()),
                };
                self.failed.get_or_insert(copy);
            }
        })
    }
}

impl Write for Watched<'_> {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let result = self.out.write(bytes);
        self.watch(result)
    }

    fn flush(&mut self) -> io::Result<()> {
        let result = self.out.flush();
        self.watch(result)
    }
}

/// An error of polars where an [`io::Error`] is due.
pub(super) fn as_io(error: PolarsError) -> io::Error {
    io::Error::other(error)
}
