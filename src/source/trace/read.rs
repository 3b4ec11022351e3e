//! A recording on disk: a file, or the folder of one that was not finished. Opening reads only what files say of
//! themselves.

use std::fs::{self, File};
use std::io::ErrorKind;
use std::ops::Range;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};

use polars_buffer::Buffer;
use polars_parquet::parquet::compression::Compression;
use polars_parquet::parquet::metadata::FileMetadata;
use polars_parquet::parquet::read::{PageMetaData, deserialize_metadata};

use super::batches::Batches;
use super::container::{MAGIC, SEAL, SEAL_SIZE};
use super::digest::xxh64;
use super::error::{Error, Looks, Parquet, Place, Task};
use super::meta::{Group, Meta};
use super::parts;
use super::schema::{COLUMNS, Id, MAJOR, META_KEY, Type, VERSION_KEY};
use super::wanted::Wanted;
use crate::catalog::event::Gap;

/// A recording that can be asked.
pub struct Recording {
    path: PathBuf,
    meta: Meta,
    files: Vec<Part>,
    /// By the number of the group: the file that holds it and its number there.
    places: Vec<(usize, usize)>,
    /// The last part of a folder, if it could not be read and was left out.
    left_out: Option<PathBuf>,
}

struct Part {
    path: PathBuf,
    file: File,
    /// By group and column of [`COLUMNS`]; `None` if the file lacks the column, as one of an earlier version may.
    chunks: Vec<Vec<Option<Stored>>>,
}

/// Where a chunk lies, and what its bytes must be.
#[derive(Debug, Clone)]
struct Stored {
    bytes: Range<u64>,
    digest: u64,
    page: PageMetaData,
}

/// A column of a row group, read and found to be what was written.
pub struct ChunkBytes {
    pub bytes: Buffer<u8>,
    pub page: PageMetaData,
}

impl Recording {
    /// A file, or a folder `NAME.partial`. Of such a folder the last part is left out if it cannot be read.
    pub fn open(path: &Path) -> Result<Recording, Error> {
        let found = fs::metadata(path).map_err(|error| absent(path, error))?;
        if !found.is_dir() {
            return Recording::open_file(path);
        }
        // The recorder may finish while its folder is read, and remove it part by part.
        Recording::open_folder(path).map_err(|error| finished(path).unwrap_or(error))
    }

    fn open_file(path: &Path) -> Result<Recording, Error> {
        let (meta, part) = Part::open(path)?;
        let places = (0..meta.groups.len()).map(|group| (0, group)).collect();
        Ok(Recording { path: path.to_owned(), meta, files: vec![part], places, left_out: None })
    }

    fn open_folder(path: &Path) -> Result<Recording, Error> {
        let numbers = parts::numbers(path).map_err(|error| failed(path, error))?;
        let mut whole: Option<Meta> = None;
        let (mut files, mut places, mut left_out) = (Vec::new(), Vec::new(), None);
        for (i, number) in numbers.iter().enumerate() {
            let name = path.join(parts::part_name(*number));
            if *number != i {
                let missing = path.join(parts::part_name(i));
                return Err(damaged(path, Place::Part(missing)));
            }
            let (meta, part) = match Part::open(&name) {
                Ok(read) => read,
                Err(Error::Newer { path, found }) => return Err(Error::Newer { path, found }),
                Err(_) if i + 1 == numbers.len() && i > 0 => {
                    left_out = Some(name);
                    break;
                }
                Err(error) if i + 1 == numbers.len() => return Err(error),
                Err(_) => return Err(damaged(path, Place::Part(name))),
            };
            places.extend((0..meta.groups.len()).map(|group| (files.len(), group)));
            files.push(part);
            match &mut whole {
                // Each part tells only of itself, and the last one knows best.
                Some(before) => {
                    let groups = std::mem::take(&mut before.groups);
                    *before = Meta { groups: groups.into_iter().chain(meta.groups.iter().cloned()).collect(), ..meta };
                }
                None => whole = Some(meta),
            }
        }
        let meta = whole.ok_or_else(|| Error::Folder { path: path.to_owned() })?;
        Ok(Recording { path: path.to_owned(), meta, files, places, left_out })
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether it is a folder whose recording is still being made.
    pub fn is_under_way(&self) -> bool {
        !self.meta.complete && parts::is_held(&self.path)
    }

    pub fn meta(&self) -> &Meta {
        &self.meta
    }

    /// The row groups in order: how many rows, from when to when.
    pub fn groups(&self) -> &[Group] {
        &self.meta.groups
    }

    /// The last part of a folder, if it could not be read and was left out: written only in part when the machine stopped.
    pub fn left_out(&self) -> Option<&Path> {
        self.left_out.as_deref()
    }

    /// What was lost and when, which a replay wants to know ahead.
    pub fn gaps(&self) -> Result<Vec<Gap>, Error> {
        let mut gaps = Vec::new();
        for batch in self.batches(&Wanted::LOSSES, None) {
            gaps.extend(batch?.gaps);
        }
        Ok(gaps)
    }

    /// Events and identities in the order of time. With a range (CLOCK_MONOTONIC ns, both ends included), events before and
    /// after it are left out as far as whole row groups hold nothing else; identities before it are told.
    pub fn batches(&self, wanted: &Wanted, range: Option<(u64, u64)>) -> Batches<'_> {
        Batches::new(self, *wanted, range)
    }

    /// Reads a column of a row group.
    ///
    /// # Errors
    /// Also when the recording lacks the column: nothing is invented for it.
    pub(super) fn chunk(&self, group: usize, column: Id) -> Result<ChunkBytes, Error> {
        let (file, local) = self.places[group];
        let part = &self.files[file];
        let place = part.chunks[local][column as usize].as_ref().ok_or_else(|| self.damaged(group, column))?;
        let mut bytes = vec![0; (place.bytes.end - place.bytes.start) as usize];
        part.file.read_exact_at(&mut bytes, place.bytes.start).map_err(|error| match error.kind() {
            ErrorKind::UnexpectedEof => Error::Cut { path: part.path.clone() },
            _ => failed(&part.path, error),
        })?;
        if xxh64(&bytes) != place.digest {
            return Err(self.damaged(group, column));
        }
        Ok(ChunkBytes { bytes: bytes.into(), page: place.page.clone() })
    }

    /// The error for a column whose bytes do not say what they should.
    pub(super) fn damaged(&self, group: usize, column: Id) -> Error {
        let (file, local) = self.places[group];
        let column = COLUMNS[column as usize].name;
        damaged(&self.files[file].path, Place::Column { column, group: local })
    }
}

impl Part {
    fn open(path: &Path) -> Result<(Meta, Part), Error> {
        // A pipe would be waited for, and a device has no end.
        if !fs::metadata(path).map_err(|error| failed(path, error))?.is_file() {
            return Err(Error::NoFile { path: path.to_owned(), what: "a device or a pipe", task: Task::Read });
        }
        let file = File::open(path).map_err(|error| failed(path, error))?;
        let footer = footer(path, &file)?;
        let known = deserialize_metadata(footer).map_err(|_| damaged(path, Place::Footer))?;
        let meta = meta(path, &known)?;
        let contradiction = |what: String| damaged(path, Place::Meta(what));
        if meta.groups.len() != known.row_groups.len() {
            let (said, there) = (meta.groups.len(), known.row_groups.len());
            return Err(contradiction(format!("it tells of {said} row groups, and {there} are there")));
        }
        let places = columns(path, &known)?;
        let size = file.metadata().map_err(|error| failed(path, error))?.len();
        let mut chunks = Vec::new();
        for (number, (said, group)) in meta.groups.iter().zip(&known.row_groups).enumerate() {
            if said.rows != group.num_rows() as u64 || said.rows > u64::from(u32::MAX) {
                return Err(contradiction(format!(
                    "row group {number} has {} rows, not {}",
                    group.num_rows(),
                    said.rows
                )));
            }
            let chunk = |column: usize| {
                let there = group.parquet_columns().get(places[column]?)?;
                let digest = u64::from_str_radix(said.digests.get(COLUMNS[column].name)?, 16).ok()?;
                let page = PageMetaData::new(
                    0,
                    there.num_values(),
                    there.compression(),
                    there.descriptor().descriptor.clone(),
                );
                Some(Stored { bytes: there.byte_range(), digest, page })
            };
            let there: Vec<Option<Stored>> = (0..COLUMNS.len()).map(chunk).collect();
            for (column, place) in COLUMNS.iter().zip(&there) {
                let Some(place) = place else {
                    if column.required() {
                        return Err(contradiction(format!("the column {} is missing", column.name)));
                    }
                    continue;
                };
                let packed = matches!(place.page.compression, Compression::Zstd | Compression::Uncompressed);
                if place.bytes.end > size || place.page.num_values as u64 != said.rows || !packed {
                    return Err(contradiction(format!("the column {} does not fit the file", column.name)));
                }
            }
            chunks.push(there);
        }
        Ok((meta, Part { path: path.to_owned(), file, chunks }))
    }
}

/// Why there is nothing at a path: what the name stands for may lie beside it.
fn absent(path: &Path, error: std::io::Error) -> Error {
    let folder = parts::folder_of(path);
    match error.kind() {
        ErrorKind::NotFound if folder.is_dir() => Error::NotFinished { path: path.to_owned(), folder },
        ErrorKind::NotFound => finished(path).unwrap_or_else(|| failed(path, error)),
        _ => failed(path, error),
    }
}

/// Where the recording of a folder that is not there lies now.
fn finished(folder: &Path) -> Option<Error> {
    let file = parts::file_of(folder).filter(|file| file.is_file() && !folder.exists())?;
    Some(Error::Finished { folder: folder.to_owned(), file })
}

/// The bytes of the footer, if they are what schedq wrote.
fn footer(path: &Path, file: &File) -> Result<Buffer<u8>, Error> {
    let read = |at: u64, length: usize| {
        let mut bytes = vec![0; length];
        file.read_exact_at(&mut bytes, at).map(|()| bytes).map_err(|error| failed(path, error))
    };
    let size = file.metadata().map_err(|error| failed(path, error))?.len();
    if size == 0 {
        return Err(Error::Empty { path: path.to_owned() });
    }
    let start = read(0, size.min(512) as usize)?;
    if !start.starts_with(MAGIC) {
        return Err(Error::NotParquet { path: path.to_owned(), looks: looks(&start) });
    }
    let cut = || Error::Cut { path: path.to_owned() };
    if size < (MAGIC.len() + 8) as u64 {
        return Err(cut());
    }
    let end = read(size - 8, 8)?;
    if &end[4..] != MAGIC {
        return Err(cut());
    }
    let length = u64::from(u32::from_le_bytes([end[0], end[1], end[2], end[3]])) + 8;
    let Some(at) = size.checked_sub(length).filter(|at| *at >= MAGIC.len() as u64) else {
        return Err(damaged(path, Place::Footer));
    };
    let footer = read(at, length as usize)?;
    let sealed = at.checked_sub(SEAL_SIZE as u64).map(|at| read(at, SEAL_SIZE)).transpose()?;
    match sealed.as_deref().and_then(|sealed| sealed.strip_prefix(SEAL)) {
        Some(digest) if digest == xxh64(&footer).to_le_bytes() => Ok(footer.into()),
        Some(_) => Err(damaged(path, Place::Footer)),
        None => {
            let says = |word: &str| footer.windows(word.len()).any(|window| window == word.as_bytes());
            let looks = match () {
                () if says(META_KEY) && says("schedq version ") => return Err(damaged(path, Place::Footer)),
                () if says(META_KEY) => Parquet::Rewritten,
                () if says("schedq_schema_version") => Parquet::Result,
                () => Parquet::Other,
            };
            Err(Error::Foreign { path: path.to_owned(), looks })
        }
    }
}

fn meta(path: &Path, known: &FileMetadata) -> Result<Meta, Error> {
    let key = |name: &str| {
        let pairs = known.key_value_metadata().as_deref().unwrap_or(&[]);
        pairs.iter().find(|pair| pair.key == name).and_then(|pair| pair.value.as_deref())
    };
    let wrong = |what: String| damaged(path, Place::Meta(what));
    let version = key(VERSION_KEY).ok_or_else(|| wrong(format!("the key {VERSION_KEY} is missing")))?;
    let major = version.split('.').next().and_then(|major| major.parse::<u32>().ok());
    match major {
        Some(major) if major <= MAJOR => {}
        Some(_) => return Err(Error::Newer { path: path.to_owned(), found: version.to_owned() }),
        None => return Err(wrong(format!("'{version}' is no version"))),
    }
    let text = key(META_KEY).ok_or_else(|| wrong(format!("the key {META_KEY} is missing")))?;
    serde_json::from_str(text).map_err(|error| wrong(error.to_string()))
}

/// By column of [`COLUMNS`], its place in the file. A column of another type is not ours.
fn columns(path: &Path, known: &FileMetadata) -> Result<Vec<Option<usize>>, Error> {
    use polars_parquet::parquet::schema::types::PhysicalType;
    let there = known.schema().columns();
    let place = |column: &super::schema::Column| {
        let Some(at) = there.iter().position(|c| c.path_in_schema.len() == 1 && c.path_in_schema[0] == column.name)
        else {
            return Ok(None);
        };
        let wanted = match column.kind {
            Type::Int64 => PhysicalType::Int64,
            Type::Int32 => PhysicalType::Int32,
            Type::Bool => PhysicalType::Boolean,
            Type::Text => PhysicalType::ByteArray,
        };
        let found = &there[at].descriptor;
        let levels = i16::from(!column.required());
        if found.primitive_type.physical_type != wanted || found.max_def_level != levels || found.max_rep_level != 0 {
            return Err(damaged(path, Place::Meta(format!("the column {} has another type", column.name))));
        }
        Ok(Some(at))
    };
    COLUMNS.iter().map(place).collect()
}

fn looks(start: &[u8]) -> Looks {
    const KNOWN: [(&[u8], Looks); 6] = [
        (b"PERFILE2", Looks::PerfData),
        (b"\x17\x08Dtracing", Looks::TraceDat),
        (b"\x1f\x8b", Looks::Gzip),
        (b"\x28\xb5\x2f\xfd", Looks::Zstd),
        (b"ARROW1", Looks::Arrow),
        (b"{", Looks::Json),
    ];
    let known = KNOWN.iter().find(|(magic, _)| start.starts_with(magic)).map(|(_, looks)| *looks);
    known.unwrap_or_else(|| {
        let readable = |c: char| !c.is_control() || c.is_ascii_whitespace();
        // A character may be cut at the end of what was read.
        let chunk = start.utf8_chunks().next();
        let text =
            chunk.is_some_and(|chunk| chunk.valid().len() + 4 > start.len() && chunk.valid().chars().all(readable));
        if text { Looks::Text } else { Looks::Bytes }
    })
}

fn failed(path: &Path, error: std::io::Error) -> Error {
    Error::Io { path: path.to_owned(), task: Task::Read, error }
}

fn damaged(path: &Path, place: Place) -> Error {
    Error::Damaged { path: path.to_owned(), place }
}
