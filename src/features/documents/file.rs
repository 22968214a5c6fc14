//! A document that stands in a file, drawn without a server.

use super::download::Format;
use super::http::PutBody;
use super::picture;
use super::picture::Options;
use super::store::Head;
use crate::platform::error::Error;
use crate::platform::error::Result;
use crate::platform::time::Timestamp;

/// Draws a document as `PUT` takes it and `GET` answers it; `plugin_id` names its kind.
///
/// # Errors
/// `Fields` with what is wrong in it.
pub fn draw_file(text: &str, format: Format, scale: f64, most_records: usize) -> Result<Vec<u8>> {
    let mut reader = serde_json::Deserializer::from_str(text);
    let body: PutBody = serde_path_to_error::deserialize(&mut reader)
        .map_err(|error| Error::field(error.path().to_string(), error.inner().to_string()))?;
    let with = body.read(most_records)?;
    let kind = with.kind.ok_or_else(|| Error::field("plugin_id", "is required"))?;
    let head = Head {
        title: with.title,
        kind: kind.id.clone(),
        settings: with.settings,
        theme: with.theme,
        custom_theme: with.custom_theme.flatten(),
        style: with.style.flatten(),
        record_count: with.data.count,
        ..Head::empty(Timestamp::now())
    };
    let bodies: Vec<String> = with.data.chunks.into_iter().map(|chunk| chunk.body).collect();
    let source = picture::unstored(head, &bodies);
    let options = Options { scale, ..Options::default() };
    options.check()?;
    picture::draw(&source, &options, format)
}
