//! A column of a row group while it is read, page by page.

use polars_parquet::parquet::compression::{Compression, DecompressionContext, decompress};
use polars_parquet::parquet::page::{CompressedDataPage, CompressedPage, DataPageHeader, FormatEncoding, Page};
use polars_parquet::parquet::read::{PageReader, decompress as decompress_page};

use super::decode::{self, Keys, Malformed, Room};
use super::read::ChunkBytes;
use super::schema::{COLUMNS, Id, Type};
use super::tasks::name_bytes;

/// A page that is larger than this was never written.
const LARGEST: usize = 1 << 28;

/// The values of a dictionary, by key.
pub enum Dictionary {
    None,
    Numbers(Vec<u32>),
    Texts(Vec<String>),
    /// Texts that are names, as the kernel has them.
    Names(Vec<[u8; 16]>),
}

impl Dictionary {
    fn len(&self) -> usize {
        match self {
            Dictionary::None => 0,
            Dictionary::Numbers(values) => values.len(),
            Dictionary::Texts(values) => values.len(),
            Dictionary::Names(values) => values.len(),
        }
    }
}

pub struct Chunk {
    pages: PageReader,
    pub dictionary: Dictionary,
    required: bool,
}

/// The room for unpacking, used again and again.
pub struct Unpack {
    context: DecompressionContext,
    plain: Vec<u8>,
    levels: Vec<u8>,
    keys: Room,
    /// The page whose values lie in it as they are.
    page: Option<CompressedDataPage>,
}

impl Unpack {
    pub fn new() -> Unpack {
        let context = DecompressionContext::Unset;
        Unpack { context, plain: Vec::new(), levels: Vec::new(), keys: Room::default(), page: None }
    }
}

/// A page whose levels are read: what follows are its values.
pub struct Values<'a> {
    pub rows: usize,
    /// How many rows have a value, and a bit for each row; none if all have one by declaration.
    pub present: usize,
    pub bits: &'a [u8],
    pub plain: &'a [u8],
}

impl Values<'_> {
    /// Calls with each row that has a value.
    fn each(&self, mut row: impl FnMut(u32)) {
        if self.present == self.rows {
            return (0..self.rows as u32).for_each(row);
        }
        // By words: most of them have no row.
        let (words, rest) = self.bits.as_chunks::<8>();
        let mut last = [0; 8];
        last[..rest.len()].copy_from_slice(rest);
        for (word, first) in words.iter().chain([&last]).zip((0..).step_by(64)) {
            let mut left = u64::from_le_bytes(*word);
            while left != 0 {
                row(first + left.trailing_zeros());
                left &= left - 1;
            }
        }
    }

    pub fn has(&self, row: usize) -> bool {
        self.present == self.rows || self.bits[row / 8] >> (row % 8) & 1 == 1
    }
}

impl Chunk {
    pub fn new(column: Id, bytes: ChunkBytes, unpack: &mut Unpack) -> Result<Chunk, Malformed> {
        let declared = &COLUMNS[column as usize];
        let reader = std::io::Cursor::new(bytes.bytes);
        let mut pages = PageReader::new_with_page_meta(reader, bytes.page, Vec::new(), LARGEST);
        let mut dictionary = Dictionary::None;
        if let Some(page) = pages.read_dict().map_err(|_| Malformed)? {
            let page = decompress_page(CompressedPage::Dict(page), &mut unpack.plain, &mut unpack.context);
            let Ok(Page::Dict(page)) = page else { return Err(Malformed) };
            dictionary = match declared.kind {
                Type::Int32 => {
                    let values = decode::int32s(&page.buffer, page.num_values)?;
                    Dictionary::Numbers(values.into_iter().map(|value| value as u32).collect())
                }
                Type::Text => {
                    let texts = decode::texts(&page.buffer, page.num_values)?;
                    match column {
                        Id::Comm | Id::Process => {
                            Dictionary::Names(texts.iter().map(|text| name_bytes(text)).collect())
                        }
                        _ => Dictionary::Texts(texts),
                    }
                }
                Type::Int64 | Type::Bool => return Err(Malformed),
            };
        }
        Ok(Chunk { pages, dictionary, required: declared.required() })
    }

    fn page(&mut self, encodings: &[FormatEncoding]) -> Result<Option<CompressedDataPage>, Malformed> {
        match self.pages.next() {
            None => Ok(None),
            Some(Ok(CompressedPage::Data(page))) if encodings.contains(&page.header().encoding()) => Ok(Some(page)),
            Some(_) => Err(Malformed),
        }
    }

    /// The next page's rows, which are not unpacked.
    pub fn skip(&mut self) -> Result<usize, Malformed> {
        match self.pages.next() {
            Some(Ok(CompressedPage::Data(page))) => Ok(page.num_values()),
            _ => Err(Malformed),
        }
    }

    /// The next page's rows and its latest time, as its statistics say.
    pub fn skip_times(&mut self) -> Result<(usize, u64), Malformed> {
        let Some(Ok(CompressedPage::Data(page))) = self.pages.next() else { return Err(Malformed) };
        let DataPageHeader::V1(header) = page.header() else { return Err(Malformed) };
        let most = header.statistics.as_ref().and_then(|statistics| statistics.max_value.as_deref());
        let most = most.and_then(|most| most.try_into().ok()).ok_or(Malformed)?;
        Ok((page.num_values(), u64::from_le_bytes(most)))
    }

    /// The next page, `None` behind the last one.
    fn values<'a>(
        &mut self,
        encodings: &[FormatEncoding],
        unpack: &'a mut Unpack,
    ) -> Result<Option<(Values<'a>, &'a mut Room)>, Malformed> {
        match self.page(encodings)? {
            Some(page) => self.unpack(page, unpack).map(Some),
            None => Ok(None),
        }
    }

    fn unpack<'a>(
        &self,
        mut page: CompressedDataPage,
        unpack: &'a mut Unpack,
    ) -> Result<(Values<'a>, &'a mut Room), Malformed> {
        let (rows, size, compression) = (page.num_values(), page.uncompressed_size(), page.compression());
        if size > LARGEST || rows > LARGEST {
            return Err(Malformed);
        }
        let mut plain = if compression == Compression::Uncompressed {
            &**unpack.page.insert(page).slice_mut()
        } else {
            unpack.plain.resize(size, 0);
            decompress(compression, page.slice_mut(), &mut unpack.plain, &mut unpack.context).map_err(|_| Malformed)?;
            unpack.plain.as_slice()
        };
        let present = if self.required { rows } else { decode::levels(&mut plain, rows, &mut unpack.levels)? };
        Ok((Values { rows, present, bits: &unpack.levels, plain }, &mut unpack.keys))
    }

    /// The next page of times; also whether they are in order.
    pub fn times(&mut self, unpack: &mut Unpack, out: &mut Vec<u64>) -> Result<(usize, bool), Malformed> {
        let (page, _) = self.values(&[FormatEncoding::DELTA_BINARY_PACKED], unpack)?.ok_or(Malformed)?;
        let sorted = decode::deltas(page.plain, page.rows, out)?;
        Ok((page.rows, sorted))
    }

    /// The next page of keys: those that are there, and the page.
    pub fn keys<'a>(&mut self, unpack: &'a mut Unpack) -> Result<(Values<'a>, Keys<'a>), Malformed> {
        let (page, room) = self.values(&[FormatEncoding::RLE_DICTIONARY], unpack)?.ok_or(Malformed)?;
        let keys = decode::keys(page.plain, page.present, self.dictionary.len(), room)?;
        Ok((page, keys))
    }

    /// The next page of numbers of a dictionary.
    pub fn numbers<'a>(&mut self, unpack: &'a mut Unpack, out: &mut Vec<u32>) -> Result<Values<'a>, Malformed> {
        let (page, keys) = self.keys(unpack)?;
        let values = match &self.dictionary {
            Dictionary::Numbers(values) => values.as_slice(),
            // A column without any value needs none.
            _ if page.present == 0 => &[],
            _ => return Err(Malformed),
        };
        keys.values(values, out, page.present);
        Ok(page)
    }

    /// The next page of flags, none if all are 0: its rows, and how many of them have a value.
    pub fn flags(&mut self, unpack: &mut Unpack, out: &mut Vec<u8>) -> Result<(usize, usize), Malformed> {
        let page = self.page(&[FormatEncoding::PLAIN])?.ok_or(Malformed)?;
        if let Some(nulls) = never(page.header()) {
            out.clear();
            return Ok((page.num_values(), page.num_values().saturating_sub(nulls)));
        }
        let (page, _) = self.unpack(page, unpack)?;
        decode::bits(page.plain, page.present, out)?;
        Ok((page.rows, page.present))
    }

    /// All pages of a column that few rows have: which rows, and each value as `make` reads them.
    pub fn all<T>(
        mut self,
        unpack: &mut Unpack,
        encoding: FormatEncoding,
        mut make: impl FnMut(&[u8], usize, &Dictionary) -> Result<Vec<T>, Malformed>,
    ) -> Result<Rare<T>, Malformed> {
        let (mut rows, mut values) = (Vec::new(), Vec::new());
        let mut at = 0;
        while let Some((page, _)) = self.values(&[encoding], unpack)? {
            values.extend(make(page.plain, page.present, &self.dictionary)?);
            if page.present > 0 {
                page.each(|row| rows.push(at + row));
            }
            at += page.rows as u32;
        }
        if rows.len() != values.len() {
            return Err(Malformed);
        }
        Ok(Rare { rows, values, next: 0 })
    }
}

/// Of a page of flags that its statistics say are never set, how many rows have none: it need not be unpacked.
fn never(header: &DataPageHeader) -> Option<usize> {
    let DataPageHeader::V1(header) = header else { return None };
    let statistics = header.statistics.as_ref()?;
    let most = statistics.max_value.as_deref()?;
    (most == [0]).then(|| usize::try_from(statistics.null_count?).ok()).flatten()
}

/// Values of a column that few rows have, taken in the order of rows.
pub struct Rare<T> {
    rows: Vec<u32>,
    values: Vec<T>,
    next: usize,
}

impl<T: Copy> Rare<T> {
    pub fn map<U>(self, of: impl FnMut(T) -> U) -> Rare<U> {
        Rare { rows: self.rows, values: self.values.into_iter().map(of).collect(), next: self.next }
    }

    /// The value of a row behind those that were asked before.
    pub fn take(&mut self, row: u32) -> Option<T> {
        while self.rows.get(self.next).is_some_and(|next| *next < row) {
            self.next += 1;
        }
        (self.rows.get(self.next) == Some(&row)).then(|| self.values[self.next])
    }
}
