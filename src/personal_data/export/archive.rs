//! Writing of files to the ZIP archive of a personal data export.

use async_zip::base::write::ZipFileWriter;
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

/// Writes rows as a JSON array. `rows_after` reads the rows after a position page by page, so that a slow client does
/// not keep a database connection busy.
pub async fn write_rows<W: AsyncWrite + Unpin, R: Serialize, P, F: Future<Output = sqlx::Result<Vec<R>>>>(
    archive: &mut ZipFileWriter<W>,
    name: &str,
    start: P,
    rows_after: impl Fn(P) -> F,
    position: impl Fn(&R) -> P,
) -> anyhow::Result<()> {
    let entry = ZipEntryBuilder::new(name.into(), Compression::Deflate);
    let mut entry = archive.write_entry_stream(entry).await?;
    let (mut page, mut is_empty) = (rows_after(start).await?, true);
    while let Some(last) = page.last() {
        let next = position(last);
        for row in &page {
            entry.write_all(if is_empty { b"[\n" } else { b",\n" }).await?;
            entry.write_all(&serde_json::to_vec(row)?).await?;
            is_empty = false;
        }
        page = rows_after(next).await?;
    }
    entry.write_all(if is_empty { b"[]\n" } else { b"\n]\n" }).await?;
    Ok(entry.close().await?)
}
