//! Large response bodies in files, so that a client that reads slowly occupies little memory.
//!
//! A large body stays in memory while its caller has no other one, because most clients read it at
//! once. Further ones are written to files and read in chunks as the client receives them.

use std::fs;
use std::fs::File;
use std::fs::OpenOptions;
use std::future::Future;
use std::io;
use std::os::unix::fs::FileExt;
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;
use std::path::PathBuf;
use std::pin::Pin;
use std::sync::Arc;
use std::task::Context;
use std::task::Poll;

use hyper::body::Bytes;
use tokio::task::JoinHandle;

use super::response_memory::SpoolShare;
use crate::config::Config;
use crate::crypto;

/// Size in bytes of the parts in which a body is read. A client that does not read occupies one.
const CHUNK_BYTES: usize = 64 << 10;

/// The directory for files of response bodies.
pub struct SpoolDir {
    path: PathBuf,
    /// Free bytes that must remain on the disk.
    min_free_bytes: u64,
}

/// A response body in a file that no directory lists. Dropping it frees the disk space.
pub struct SpooledBody {
    file: Arc<File>,
    /// Number of bytes that were returned.
    position: u64,
    length: u64,
    /// The next chunk, which a thread reads.
    pending: Option<JoinHandle<io::Result<Vec<u8>>>>,
    share: SpoolShare,
}

impl SpoolDir {
    /// Returns the directory of a server: its data directory.
    pub fn new(config: &Config) -> Self {
        Self { path: config.data_dir.clone(), min_free_bytes: config.min_free }
    }

    /// Writes a body to a file. Returns None if the disk has too little space or the file cannot be
    /// written, which is logged.
    ///
    /// The file has no name while it has content, so that it vanishes with the process. It is not
    /// flushed, so that a body that is read soon never reaches the disk.
    pub fn write(&self, body: &[u8], share: SpoolShare) -> Option<SpooledBody> {
        let length = body.len() as u64;
        let free = rustix::fs::statvfs(&self.path)
            .map_or(0, |state| state.f_bavail.saturating_mul(state.f_frsize));
        if free < self.min_free_bytes.saturating_add(length.saturating_mul(2)) {
            return None;
        }
        let written = create_unnamed_file(&self.path)
            .and_then(|file| file.write_all_at(body, 0).map(|()| file));
        match written {
            Ok(file) => {
                let file = Arc::new(file);
                Some(SpooledBody { file, position: 0, length, pending: None, share })
            }
            Err(error) => {
                tracing::warn!(%error, "a response cannot be written to a file");
                None
            }
        }
    }
}

impl SpooledBody {
    /// Returns the number of bytes that were not returned yet.
    pub fn remaining(&self) -> u64 {
        self.length - self.position
    }

    /// Returns the next chunk, or None at the end. The chunk counts as unsent memory of the caller.
    ///
    /// A blocking thread of the runtime reads the file, because the disk can be slow.
    ///
    /// # Errors
    /// The file cannot be read.
    pub fn poll_chunk(&mut self, context: &mut Context<'_>) -> Poll<Option<io::Result<Bytes>>> {
        let length = usize::try_from(self.remaining()).unwrap_or(usize::MAX).min(CHUNK_BYTES);
        if length == 0 {
            return Poll::Ready(None);
        }
        let (file, position) = (&self.file, self.position);
        let pending = self.pending.get_or_insert_with(|| {
            let file = file.clone();
            tokio::task::spawn_blocking(move || read_chunk(&file, position, length))
        });
        let Poll::Ready(read) = Pin::new(pending).poll(context) else { return Poll::Pending };
        self.pending = None;
        let chunk = read.map_err(io::Error::other).flatten();
        Poll::Ready(Some(chunk.map(|chunk| {
            self.position += chunk.len() as u64;
            self.share.count_chunk(Bytes::from(chunk))
        })))
    }
}

/// Creates a file in `dir` and removes its name.
fn create_unnamed_file(dir: &Path) -> io::Result<File> {
    let suffix =
        crypto::random_base62(12).map_err(|error| io::Error::other(error.operator_message()))?;
    let path = dir.join(format!(".response-{suffix}"));
    let file =
        OpenOptions::new().read(true).write(true).create_new(true).mode(0o600).open(&path)?;
    fs::remove_file(&path)?;
    Ok(file)
}

/// Reads `length` bytes of a file from `position`.
fn read_chunk(file: &File, position: u64, length: usize) -> io::Result<Vec<u8>> {
    let mut chunk = vec![0; length];
    file.read_exact_at(&mut chunk, position)?;
    Ok(chunk)
}

#[cfg(test)]
mod tests {
    use std::future::poll_fn;
    use std::net::IpAddr;
    use std::net::Ipv4Addr;

    use super::super::caller_key::CallerKey;
    use super::super::response_memory::ResponseMemory;
    use super::*;

    /// Returns the share of a body of a new caller.
    fn share(bytes: usize) -> SpoolShare {
        let key = CallerKey { network: IpAddr::V4(Ipv4Addr::LOCALHOST), credentials: 1 };
        ResponseMemory::default().find_caller(key).reserve_spool(bytes).unwrap()
    }

    #[test]
    fn a_body_is_returned_in_chunks_and_leaves_no_file() {
        let dir = tempfile::tempdir().unwrap();
        let spool = SpoolDir { path: dir.path().to_owned(), min_free_bytes: 0 };
        let content: Vec<u8> = (0..200_000_u32).map(|number| (number % 251) as u8).collect();
        let mut body = spool.write(&content, share(content.len())).unwrap();
        assert_eq!(fs::read_dir(dir.path()).unwrap().count(), 0);
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let mut received = Vec::new();
        while let Some(chunk) = runtime.block_on(poll_fn(|context| body.poll_chunk(context))) {
            let chunk = chunk.unwrap();
            assert!(chunk.len() <= CHUNK_BYTES);
            received.extend_from_slice(&chunk);
            assert_eq!(body.remaining() as usize, content.len() - received.len());
        }
        assert!(received == content, "{} bytes", received.len());
    }

    #[test]
    fn a_truncated_file_is_an_error() {
        let dir = tempfile::tempdir().unwrap();
        let spool = SpoolDir { path: dir.path().to_owned(), min_free_bytes: 0 };
        let mut body = spool.write(&[1; 1000], share(1000)).unwrap();
        body.file.set_len(999).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread().build().unwrap();
        let chunk = runtime.block_on(poll_fn(|context| body.poll_chunk(context)));
        assert_eq!(chunk.unwrap().unwrap_err().kind(), io::ErrorKind::UnexpectedEof);
    }

    #[test]
    fn a_disk_with_little_space_gets_no_body() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().to_owned();
        let spool = SpoolDir { path: path.clone(), min_free_bytes: u64::MAX / 2 };
        assert!(spool.write(&[1; 1000], share(1000)).is_none());
        let spool = SpoolDir { path: path.join("absent"), min_free_bytes: 0 };
        assert!(spool.write(&[1; 1000], share(1000)).is_none());
    }
}
