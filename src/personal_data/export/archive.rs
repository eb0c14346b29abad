//! Files of the ZIP archive of an export.

use async_zip::base::write::{EntryStreamWriter, ZipFileWriter};
use async_zip::{Compression, ZipEntryBuilder};
use futures_util::io::{AsyncWrite, AsyncWriteExt as _};
use serde::Serialize;

pub async fn write_file<W: AsyncWrite + Unpin>(
    archive: &mut ZipFileWriter<W>,
    name: &str,
    content: &[u8],
) -> anyhow::Result<()> {
    let entry = ZipEntryBuilder::new(name.into(), Compression::Deflate);
    Ok(archive.write_entry_whole(entry, content).await?)
}

pub struct JsonArrayWriter<'a, W: AsyncWrite + Unpin> {
    entry: EntryStreamWriter<'a, W>,
    is_empty: bool,
}

impl<'a, W: AsyncWrite + Unpin> JsonArrayWriter<'a, W> {
    pub(super) async fn begin(archive: &'a mut ZipFileWriter<W>, name: &str) -> anyhow::Result<Self> {
        let entry = ZipEntryBuilder::new(name.into(), Compression::Deflate);
        Ok(Self { entry: archive.write_entry_stream(entry).await?, is_empty: true })
    }

    pub(super) async fn push(&mut self, item: &impl Serialize) -> anyhow::Result<()> {
        self.entry.write_all(if self.is_empty { b"[\n" } else { b",\n" }).await?;
        self.is_empty = false;
        Ok(self.entry.write_all(&serde_json::to_vec(item)?).await?)
    }

    pub(super) async fn end(mut self) -> anyhow::Result<()> {
        self.entry.write_all(if self.is_empty { b"[]\n" } else { b"\n]\n" }).await?;
        Ok(self.entry.close().await?)
    }
}
