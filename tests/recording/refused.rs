//! What is no recording, or is one no more, is told as what it is and never believed.

use std::fs;
use std::path::{Path, PathBuf};

use schedq::name;
use schedq::source::trace::error::{Error, Looks, Parquet, Task};
use schedq::source::trace::read::Recording;
use schedq::source::trace::wanted::Wanted;
use schedq::source::trace::write::prepare;

use super::accidents::killed;
use super::file::{START, everything, in_folder, read, record, small_groups, switch};

// What is no recording, or was one.

fn refused(path: &Path) -> Error {
    Recording::open(path).err().unwrap_or_else(|| panic!("{} is no recording", path.display()))
}

#[test]
fn other_files_are_told_as_what_they_are() {
    let (folder, path) = in_folder("x.parquet");
    let cases: [(&[u8], Looks); 8] = [
        (b"a,b\n1,2\n", Looks::Text),
        ("naïve\n".as_bytes(), Looks::Text),
        (b"{\"meta\": {}}", Looks::Json),
        (b"PERFILE2\x68\0\0\0", Looks::PerfData),
        (b"\x17\x08Dtracing6\0", Looks::TraceDat),
        (b"\x1f\x8b\x08\0", Looks::Gzip),
        (b"\x28\xb5\x2f\xfd\0", Looks::Zstd),
        (b"\x7fELF\x02\x01\0\0\0", Looks::Bytes),
    ];
    for (bytes, wanted) in cases {
        fs::write(&path, bytes).unwrap();
        let Error::NotParquet { looks, .. } = refused(&path) else { panic!("{bytes:?}") };
        assert_eq!(looks, wanted);
    }
    fs::write(&path, "").unwrap();
    assert!(matches!(refused(&path), Error::Empty { .. }));
    fs::write(&path, "PAR1").unwrap();
    assert!(matches!(refused(&path), Error::Cut { .. }));
    assert!(matches!(refused(folder.path()), Error::Folder { .. }));
    assert!(matches!(refused(Path::new("/dev/null")), Error::NoFile { task: Task::Read, .. }));
    assert!(matches!(refused(&folder.path().join("none.parquet")), Error::Io { .. }));
}

#[test]
fn parquet_of_others_and_results_are_no_recordings() {
    use polars::prelude::{DataFrame, NamedFrom, Series};
    use polars_io::parquet::write::{KeyValueMetadata, ParquetWriter};
    let (_folder, path) = in_folder("x.parquet");
    for (key, wanted) in [
        ("other", Parquet::Other),
        ("schedq_schema_version", Parquet::Result),
        ("schedq_recording", Parquet::Rewritten),
    ] {
        let mut frame = DataFrame::new(2, vec![Series::new("a".into(), [1i64, 2]).into()]).unwrap();
        ParquetWriter::new(fs::File::create(&path).unwrap())
            .with_key_value_metadata(Some(KeyValueMetadata::from_static(vec![(key.to_owned(), "1".to_owned())])))
            .finish(&mut frame)
            .unwrap();
        let Error::Foreign { looks, .. } = refused(&path) else { panic!("{key}") };
        assert_eq!(looks, wanted);
    }
}

/// A recording with a bit of everything, and its bytes.
fn sample(folder: &Path) -> (PathBuf, Vec<u8>) {
    let path = folder.join("good.parquet");
    let mut batch = everything();
    batch.events.extend((100..2000).map(|i| switch(START + i * 13 % 7 + i * 100, (i % 9) as u32, (i % 5) as u32)));
    record(&path, &[batch], small_groups(1000));
    let bytes = fs::read(&path).unwrap();
    (path, bytes)
}

#[test]
fn a_file_cut_anywhere_is_refused() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = sample(folder.path());
    let cut = folder.path().join("cut.parquet");
    for sixteenth in 0..16 {
        for length in [bytes.len() * sixteenth / 16, bytes.len() * sixteenth / 16 + 1] {
            fs::write(&cut, &bytes[..length]).unwrap();
            match refused(&cut) {
                Error::Empty { .. } if length == 0 => {}
                Error::NotParquet { .. } if length < 4 => {}
                Error::Cut { .. } => {}
                error => panic!("{length}: {error:?}"),
            }
        }
    }
    assert!(Recording::open(&path).is_ok());
}

/// Whatever byte is changed, the answer is the same as before, or an error.
#[test]
fn a_changed_byte_is_never_believed() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = sample(folder.path());
    let good = read(&path, &Wanted::ALL).unwrap();
    let bad = folder.path().join("bad.parquet");
    let (mut refused, mut equal) = (0, 0);
    // The rest of the footer is under one digest: a few places stand for it.
    for at in (0..bytes.len()).step_by(7) {
        let mut changed = bytes.clone();
        changed[at] ^= 1 << (at % 8);
        fs::write(&bad, &changed).unwrap();
        match read(&bad, &Wanted::ALL) {
            Ok(found) => {
                assert!(found == good, "byte {at}");
                equal += 1;
            }
            Err(Error::Damaged { .. } | Error::Foreign { .. } | Error::Cut { .. } | Error::NotParquet { .. }) => {
                refused += 1
            }
            Err(error) => panic!("byte {at}: {error:?}"),
        }
    }
    // Columns that only other programs read can change unseen.
    assert!(refused > equal, "{refused} refused, {equal} not needed");
}

#[test]
fn a_later_version_is_refused_and_said_so() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = sample(folder.path());
    // The digest is of the footer with its length and magic, and stands in front of it behind a seal.
    let length = u32::from_le_bytes(bytes[bytes.len() - 8..bytes.len() - 4].try_into().unwrap()) as usize + 8;
    let footer = bytes.len() - length;
    assert_eq!(&bytes[footer - 16..footer - 8], b"schedq01");
    let found = bytes.windows(27).position(|w| w == b"schedq_recording_version\x18\x031").unwrap();
    let mut changed = bytes.clone();
    changed[found + 26] = b'2';
    let digest = schedq::source::trace::digest::xxh64(&changed[footer..]);
    changed[footer - 8..footer].copy_from_slice(&digest.to_le_bytes());
    fs::write(&path, &changed).unwrap();
    let Error::Newer { found, .. } = refused(&path) else { panic!("refused") };
    assert_eq!(found, "2.0");
}

#[test]
fn words_for_what_is_wrong() {
    let folder = tempfile::tempdir().unwrap();
    let (path, bytes) = sample(folder.path());
    let said = |error: Error| {
        let told = error.diagnostic();
        format!("{}; {}", told.title, told.help.join("; ")).replace(folder.path().to_str().unwrap(), "/f")
    };
    fs::write(&path, &bytes[..1000]).unwrap();
    assert_eq!(
        said(refused(&path)),
        "cannot ask '/f/good.parquet': its end is missing; it was cut off while it was copied, perhaps: copy it again"
    );
    let parts = killed(&folder.path().join("t.parquet"), 3);
    let left = prepare(&folder.path().join("t.parquet")).unwrap_err();
    assert_eq!(
        said(left),
        "an earlier recording was not finished: its parts are in '/f/t.parquet.partial'; ask them: from \
         '/f/t.parquet.partial' …; or remove them: rm -r '/f/t.parquet.partial'"
    );
    fs::remove_dir_all(parts).unwrap();
    let name = name::escape(b"x\n.parquet");
    let path = folder.path().join("x\n.parquet");
    fs::write(&path, "a,b\n").unwrap();
    assert!(said(refused(&path)).starts_with(&format!("cannot ask '/f/{name}': it is text")), "the name is harmless");
}
