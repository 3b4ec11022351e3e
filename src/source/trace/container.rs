//! The file around the pages: Parquet's row groups and footer through `polars-parquet`, and in front of the footer a digest
//! of it. A reader tests this digest before it believes any number of the footer, and the digests in [`Meta`] before it
//! unpacks a chunk; so a damaged file is told as such and never read as something else.

use std::sync::LazyLock;

use polars_buffer::Buffer;
use polars_parquet::parquet::CowBuffer;
use polars_parquet::parquet::FallibleStreamingIterator;
use polars_parquet::parquet::compression::{Compression, CompressionOptions, ZstdLevel, compress};
use polars_parquet::parquet::error::ParquetError;
use polars_parquet::parquet::metadata::{KeyValue, SchemaDescriptor, ThriftFileMetadata};
use polars_parquet::parquet::page::{
    CompressedDataPage, CompressedDictPage, CompressedPage, DataPageHeader, DataPageHeaderV1, FormatEncoding,
};
use polars_parquet::parquet::schema::Repetition;
use polars_parquet::parquet::schema::types::{ParquetType, PhysicalType, PrimitiveConvertedType, PrimitiveLogicalType};
use polars_parquet::parquet::statistics::ParquetStatistics;
use polars_parquet::parquet::write::{
    DynIter, DynStreamingIterator, FileWriter, Version, WriteOptions, write_metadata_sidecar,
};

use super::digest::xxh64;
use super::error::Doing;
use super::meta::Meta;
use super::schema::{COLUMNS, Id, MAJOR, META_KEY, MINOR, Type, VERSION_KEY};

pub const MAGIC: &[u8; 4] = b"PAR1";
/// Stands between the last row group and the footer, followed by the footer's digest (of all that follows it).
pub const SEAL: &[u8; 8] = b"schedq01";
/// The seal and the digest.
pub const SEAL_SIZE: usize = 16;

/// A page or a dictionary as it is stored.
pub struct Packed {
    pub bytes: Buffer<u8>,
    /// Unpacked.
    pub size: usize,
    pub values: usize,
    pub compression: Compression,
    /// The least and the greatest value.
    pub range: Option<(Vec<u8>, Vec<u8>)>,
    /// Rows without a value.
    pub nulls: usize,
}

/// zstd's fastest ordinary level: the next ones take twice the time and more for a few hundredths of a byte per event.
const LEVEL: i32 = 1;

impl Packed {
    /// As they are: for so few bytes that a frame of zstd would be larger.
    pub fn plain(plain: Vec<u8>, values: usize) -> Packed {
        let size = plain.len();
        Packed { bytes: plain.into(), size, values, compression: Compression::Uncompressed, range: None, nulls: 0 }
    }

    pub fn zstd(plain: Vec<u8>, values: usize) -> Result<Packed, Doing> {
        let level = ZstdLevel::try_new(LEVEL).map_err(|error| Doing::Encode(error.to_string()))?;
        let mut bytes = Vec::new();
        compress(CompressionOptions::Zstd(Some(level)), &plain, &mut bytes).map_err(encode)?;
        bytes.shrink_to_fit();
        let compression = Compression::Zstd;
        Ok(Packed { bytes: bytes.into(), size: plain.len(), values, compression, range: None, nulls: 0 })
    }
}

/// A column of a row group.
pub struct Chunk<'a> {
    pub column: usize,
    pub dictionary: Option<Packed>,
    pub full: &'a [Packed],
    pub last: Option<Packed>,
}

/// A row group as bytes, from the file's first byte on, and what the footer is made from.
pub struct Body {
    /// Begins with [`MAGIC`].
    pub bytes: Vec<u8>,
    pub footer: ThriftFileMetadata,
}

pub static SCHEMA: LazyLock<SchemaDescriptor> = LazyLock::new(|| {
    let field = |column: &super::schema::Column| {
        let (physical, converted, logical) = match column.kind {
            Type::Int64 => (PhysicalType::Int64, None, None),
            Type::Int32 => (PhysicalType::Int32, None, None),
            Type::Bool => (PhysicalType::Boolean, None, None),
            Type::Text => {
                (PhysicalType::ByteArray, Some(PrimitiveConvertedType::Utf8), Some(PrimitiveLogicalType::String))
            }
        };
        let repetition = if column.required() { Repetition::Required } else { Repetition::Optional };
        ParquetType::try_from_primitive(column.name.into(), physical, repetition, converted, logical, None)
            .expect("the table's types are types of the format")
    };
    SchemaDescriptor::new("schedq".into(), COLUMNS.iter().map(field).collect())
});

/// Encodings of a column's data pages.
fn encoding(column: usize) -> FormatEncoding {
    let declared = &COLUMNS[column];
    match declared.kind {
        Type::Int64 if column == Id::At as usize => FormatEncoding::DELTA_BINARY_PACKED,
        Type::Text => FormatEncoding::RLE_DICTIONARY,
        Type::Int32 if column < super::schema::PAGED => FormatEncoding::RLE_DICTIONARY,
        Type::Int64 | Type::Int32 | Type::Bool => FormatEncoding::PLAIN,
    }
}

fn encode(error: ParquetError) -> Doing {
    Doing::Encode(error.to_string())
}

struct Pages {
    rest: std::vec::IntoIter<CompressedPage>,
    current: Option<CompressedPage>,
}

impl FallibleStreamingIterator for Pages {
    type Item = CompressedPage;
    type Error = ParquetError;

    fn advance(&mut self) -> Result<(), ParquetError> {
        self.current = self.rest.next();
        Ok(())
    }

    fn get(&self) -> Option<&CompressedPage> {
        self.current.as_ref()
    }
}

fn data_page(column: usize, page: &Packed) -> CompressedPage {
    let statistics = page.range.clone().map(|(least, most)| ParquetStatistics {
        max: None,
        min: None,
        null_count: Some(page.nulls as i64),
        distinct_count: None,
        max_value: Some(most),
        min_value: Some(least),
        is_max_value_exact: Some(true),
        is_min_value_exact: Some(true),
    });
    let header = DataPageHeaderV1 {
        num_values: page.values as i32,
        encoding: encoding(column),
        definition_level_encoding: FormatEncoding::RLE,
        repetition_level_encoding: FormatEncoding::RLE,
        statistics,
    };
    CompressedPage::Data(CompressedDataPage::new(
        DataPageHeader::V1(header),
        CowBuffer::Borrowed(page.bytes.clone()),
        page.compression,
        page.size,
        SCHEMA.columns()[column].descriptor.clone(),
        page.values,
    ))
}

fn pages(chunk: &Chunk) -> Pages {
    let dictionary = chunk.dictionary.iter().map(|page| {
        let bytes = CowBuffer::Borrowed(page.bytes.clone());
        CompressedPage::Dict(CompressedDictPage::new(bytes, page.compression, page.size, page.values, false))
    });
    let data = chunk.full.iter().chain(&chunk.last).map(|page| data_page(chunk.column, page));
    Pages { rest: dictionary.chain(data).collect::<Vec<_>>().into_iter(), current: None }
}

/// The bytes of a file with one row group, or none, up to where its footer begins.
pub fn body(chunks: &[Chunk], rows: usize) -> Result<Body, Doing> {
    let created_by = Some(format!("schedq version {}", env!("CARGO_PKG_VERSION")));
    let options = WriteOptions { write_statistics: false, version: Version::V2 };
    let mut writer = FileWriter::new(Vec::new(), SCHEMA.clone(), options, created_by);
    if rows > 0 {
        let columns = chunks.iter().map(|chunk| Ok::<_, ParquetError>(DynStreamingIterator::new(pages(chunk))));
        let columns: Vec<_> = columns.collect();
        writer.write(rows as u64, DynIter::new(columns.into_iter())).map_err(encode)?;
    }
    writer.end(None).map_err(encode)?;
    let (mut bytes, mut footer) = writer.into_inner_and_metadata();
    // Behind the last row group follow an index, which is left out since its places change when parts are joined, and a
    // footer without our key.
    let mut end = MAGIC.len();
    for group in &mut footer.row_groups {
        for column in &mut group.columns {
            let meta = column.meta_data.as_ref();
            let first = meta.map_or(0, |m| m.dictionary_page_offset.unwrap_or(m.data_page_offset));
            end = end.max((first + meta.map_or(0, |m| m.total_compressed_size)) as usize);
            column.offset_index_offset = None;
            column.offset_index_length = None;
        }
    }
    bytes.truncate(end);
    Ok(Body { bytes, footer })
}

impl Body {
    /// By the column's name, the digest of its chunk.
    pub fn digests(&self) -> impl Iterator<Item = (String, String)> {
        let columns = self.footer.row_groups.iter().flat_map(|group| &group.columns);
        COLUMNS.iter().zip(columns).map(|(declared, column)| {
            let digest = column.meta_data.as_ref().map_or(0, |meta| {
                let first = meta.dictionary_page_offset.unwrap_or(meta.data_page_offset) as usize;
                xxh64(&self.bytes[first..first + meta.total_compressed_size as usize])
            });
            (declared.name.to_owned(), format!("{digest:016x}"))
        })
    }
}

/// Appends the row groups of `more`, whose bytes stand `shift` bytes further than when it was made.
pub fn append(footer: &mut ThriftFileMetadata, more: &ThriftFileMetadata, shift: u64) {
    let shift = shift as i64;
    for group in &more.row_groups {
        let mut group = group.clone();
        group.ordinal = footer.row_groups.len().try_into().ok();
        group.file_offset = group.file_offset.map(|at| at + shift);
        for column in &mut group.columns {
            column.file_offset += shift;
            if let Some(meta) = &mut column.meta_data {
                meta.data_page_offset += shift;
                meta.dictionary_page_offset = meta.dictionary_page_offset.map(|at| at + shift);
            }
        }
        footer.num_rows += group.num_rows;
        footer.row_groups.push(group);
    }
}

/// The end of a file: seal, digest and footer.
pub fn ending(footer: &ThriftFileMetadata, meta: &Meta) -> Result<Vec<u8>, Doing> {
    let mut footer = footer.clone();
    let text = serde_json::to_string(meta).map_err(|error| Doing::Encode(error.to_string()))?;
    footer.key_value_metadata = Some(vec![
        KeyValue { key: META_KEY.to_owned(), value: Some(text) },
        KeyValue { key: VERSION_KEY.to_owned(), value: Some(format!("{MAJOR}.{MINOR}")) },
    ]);
    let mut sidecar = Vec::new();
    write_metadata_sidecar(&mut sidecar, &footer).map_err(encode)?;
    // A file of its own, whose first bytes the recording has already.
    let footer = &sidecar[MAGIC.len()..];
    let mut ending = SEAL.to_vec();
    ending.extend_from_slice(&xxh64(footer).to_le_bytes());
    ending.extend_from_slice(footer);
    Ok(ending)
}
