//! The read representation of a document, put together from stored texts without parsing them.

use std::rc::Rc;

use hyper::body::Bytes;
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::address;
use super::rules;
use super::store;
use super::store::Head;
use crate::app::App;
use crate::features::access;
use crate::features::access::Ace;
use crate::features::access::Caller;
use crate::features::access::Level;
use crate::features::access::Links;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::crypto;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Found;
use chartroom_platform::error::Result;
use chartroom_platform::http::Response;
use chartroom_platform::id::AccountId;
use chartroom_platform::id::NodeId;
use chartroom_platform::time::Timestamp;

/// A document as GET answers it. The answer is written by [`write`]; this is its shape.
#[derive(JsonSchema)]
#[schemars(rename = "Document")]
#[expect(dead_code, reason = "describes the answer, which is written as text")]
pub struct DocumentView {
    /// UUID.
    #[schemars(extend("x-placeholder" = "doc"))]
    id: String,
    /// Account id.
    #[schemars(extend("x-placeholder" = "user_id"))]
    owner: String,
    owner_name: String,
    /// Absolute path; `/` is the root.
    folder: String,
    /// UUID of the chart kind.
    plugin_id: String,
    title: String,
    settings: serde_json::Map<String, Value>,
    data: Vec<serde_json::Map<String, Value>>,
    /// Name of a theme.
    theme: String,
    custom_theme: Option<serde_json::Map<String, Value>>,
    style: Option<serde_json::Map<String, Value>>,
    /// Only when a client stored one.
    #[serde(skip_serializing_if = "Option::is_none")]
    svg: Option<String>,
    #[serde(rename = "isPublic")]
    is_public: bool,
    /// Schema version.
    version: i64,
    created: Timestamp,
    updated: Timestamp,
    /// Account id.
    updated_by: String,
    /// Only in the trash.
    #[serde(skip_serializing_if = "Option::is_none")]
    deleted_at: Option<Timestamp>,
    /// Number of the newest version.
    history_version: i64,
    /// What the caller may do: `r` or `w`.
    mode: String,
    /// Access entries here and on the folders above: all for who may change the document, else the
    /// caller's own.
    acl: Vec<Ace>,
    urls: DocumentUrls,
    /// With `transparent`.
    #[serde(skip_serializing_if = "Option::is_none")]
    background_color: Option<String>,
    /// With `transparent`, when the theme's background is more than a colour.
    #[serde(skip_serializing_if = "Option::is_none")]
    background_svg: Option<String>,
    /// With `include_download_url`: opens the picture without credentials.
    #[serde(skip_serializing_if = "Option::is_none")]
    download_url: Option<String>,
    #[serde(skip_serializing_if = "Option::is_none")]
    download_url_expires_at: Option<Timestamp>,
}

/// Where a document's things are.
#[derive(Debug, Serialize, JsonSchema)]
pub struct DocumentUrls {
    pub endpoint: String,
    /// For the browser.
    pub document_view: String,
    /// Page of the folder it is in.
    pub parent_folder: String,
    /// Name of that folder; empty for the root.
    pub parent_folder_title: String,
    pub thumbnail: String,
}

/// The addresses of a document in a folder.
pub fn urls(base_url: &str, owner: &AccountId, id: &NodeId, folder: &FolderPath) -> DocumentUrls {
    let endpoint = address::endpoint(base_url, owner, id);
    DocumentUrls {
        document_view: address::view(base_url, owner, id),
        parent_folder: tree::folder_view(base_url, owner, folder),
        parent_folder_title: folder.title().to_owned(),
        thumbnail: format!("{endpoint}/thumbnail.png"),
        endpoint,
    }
}

/// What a caller asked for beside the document.
#[derive(Default)]
pub struct Extras {
    /// Colour and picture behind a transparent drawing.
    pub background: Option<(String, Option<String>)>,
    /// An address that opens the picture, and until when.
    pub download: Option<(String, Timestamp)>,
    /// The records of an older version, joined by commas, in place of the document's.
    pub records: Option<String>,
}

impl Extras {
    fn is_none(&self) -> bool {
        self.background.is_none() && self.download.is_none() && self.records.is_none()
    }
}

/// The answer to GET: the whole document with its entity tag.
pub fn response(
    tx: &Tx<'_>,
    app: &App,
    head: &Head,
    (caller, level): (&Caller, Level),
    extras: &Extras,
) -> Result<Response> {
    let links = Links { base_url: &app.config.base_url, key: &app.key };
    let mut tag = rules::tag(head);
    let mut found = None;
    let around = || around(tx, links, head, (caller, level));
    let checksum = match head.parent.is_some() || head.is_shared {
        true => tx.once("around a document", &asked(head, caller, level), || {
            Ok(found.insert(around()?).checksum.clone())
        })?,
        false => Rc::new(None),
    };
    if let Some((_, expires)) = &extras.download {
        // Not the answer of a moment ago: the address is a new one.
        tag = format!("{tag}+{}", expires.0);
    } else if let Some(checksum) = checksum.as_ref() {
        // Sharing, and moving a folder above, changes the answer, not the document.
        tag = format!("{tag}+{checksum}");
    }
    if extras.records.is_some() {
        // As one of the present state, it may be sent back to go back to this version.
        tag = format!("{tag}+v{}", head.history_version);
    }
    let text = || {
        let around = found.map_or_else(around, Ok)?;
        write(tx, links.base_url, (head, &around), level, extras).map(Bytes::from)
    };
    let text = match tx.state.is_some() && may_be_kept(head, extras) {
        true => kept(app, head, &tag, level, text)?,
        false => text()?,
    };
    Response::bytes("application/json", text).tagged(&tag)
}

/// What is around a document: its answer changes with this, though the document does not.
struct Around {
    /// The folder it is in, or was in before it went into the trash.
    folder: FolderPath,
    /// The access entries that the caller may see, as JSON; none when there are none.
    acl: Option<String>,
    /// Of both; none for what is in the root and not shared.
    checksum: Option<String>,
}

/// What [`around`] depends on within a snapshot.
fn asked(head: &Head, caller: &Caller, level: Level) -> Vec<u8> {
    let user = caller.id().map_or("", AccountId::as_str);
    let link = caller.share.as_ref().map_or(&[][..], |it| &it[..]);
    let texts = [head.id.as_str(), " ", user, " ", level.letter(), " "].concat();
    [texts.as_bytes(), link].concat()
}

fn around(
    tx: &Tx<'_>,
    links: Links<'_>,
    head: &Head,
    (caller, level): (&Caller, Level),
) -> Result<Around> {
    let folder = folder(tx, head)?;
    let acl = match head.is_shared || access::is_shared(tx, head.parent.as_ref())? {
        true => access::acl(tx, links, caller, level, &head.id)?,
        false => Vec::new(),
    };
    let acl = match acl.is_empty() {
        true => None,
        false => Some(serde_json::to_string(&acl)?),
    };
    let checksum = (acl.is_some() || head.parent.is_some()).then(|| {
        let around = format!("{folder}{}", acl.as_deref().unwrap_or_default());
        crypto::checksum62(&around, 11)
    });
    Ok(Around { folder, acl, checksum })
}

/// Bytes of data up to which an answer is kept for the next who asks: putting it together takes as
/// long as all the rest of answering. Not within a transaction that may still change the document, or
/// be undone: its entity tag would come again for something else.
const KEPT: i64 = 32 << 10;

fn may_be_kept(head: &Head, extras: &Extras) -> bool {
    head.data_bytes <= KEPT && head.svg.is_none() && head.deleted.is_none() && extras.is_none()
}

/// The answer as it was put together before, or now. The entity tag stands for the document and what
/// is around it; the rest of the key for what else is in the answer.
fn kept(
    app: &App,
    head: &Head,
    tag: &str,
    level: Level,
    text: impl FnOnce() -> Result<Bytes>,
) -> Result<Bytes> {
    let public = if head.is_public { "public" } else { "" };
    let key = [tag, level.letter(), public, "\n", &head.owner_name].concat();
    if let Some(kept) = app.answers.get(&key) {
        return Ok(kept);
    }
    let text = text()?;
    app.answers.insert(key, text.clone());
    Ok(text)
}

/// The path of the folder that it is in, or was in before it went into the trash.
fn folder(tx: &Tx<'_>, head: &Head) -> Result<FolderPath> {
    match head.deleted {
        None => tree::folder_path(tx, head.parent.as_ref()),
        Some(_) => tree::path(tx, &tree::find(tx, &head.id)?.found("document")?),
    }
}

/// The read representation as JSON text, its keys always in the same order.
fn write(
    tx: &Tx<'_>,
    base_url: &str,
    (head, around): (&Head, &Around),
    level: Level,
    extras: &Extras,
) -> Result<Vec<u8>> {
    let stored = head.settings.len()
        + head.style.as_ref().map_or(0, String::len)
        + head.svg.as_ref().map_or(0, String::len)
        + usize::try_from(head.data_bytes).unwrap_or(0);
    // 1,200 bytes for everything of fixed size.
    let mut out = Text(Vec::with_capacity(stored + 1200));
    out.0.push(b'{');
    out.plain("id", head.id.as_str());
    out.plain("owner", head.owner.as_str());
    out.string("owner_name", &head.owner_name)?;
    out.string("folder", &around.folder.to_string())?;
    out.plain("plugin_id", &head.kind);
    out.string("title", &head.title)?;
    out.raw("settings", &head.settings);
    out.key("data");
    out.0.push(b'[');
    match &extras.records {
        Some(records) => out.0.extend_from_slice(records.as_bytes()),
        None => store::append_records(tx, &head.id, &mut out.0)?,
    }
    out.0.push(b']');
    out.string("theme", &head.theme)?;
    out.raw("custom_theme", head.custom_theme.as_deref().unwrap_or("null"));
    out.raw("style", head.style.as_deref().unwrap_or("null"));
    if let Some(svg) = &head.svg {
        out.string("svg", svg)?;
    }
    out.value("isPublic", &head.is_public)?;
    out.value("version", &head.schema_version)?;
    out.value("created", &head.created)?;
    out.value("updated", &head.updated)?;
    out.plain("updated_by", &head.updated_by);
    if let Some(deleted) = &head.deleted {
        out.value("deleted_at", deleted)?;
    }
    out.value("history_version", &head.history_version)?;
    out.plain("mode", level.letter());
    out.raw("acl", around.acl.as_deref().unwrap_or("[]"));
    out.urls(base_url, head, &around.folder)?;
    if let Some((color, svg)) = &extras.background {
        out.string("background_color", color)?;
        if let Some(svg) = svg {
            out.string("background_svg", svg)?;
        }
    }
    if let Some((url, expires)) = &extras.download {
        out.string("download_url", url)?;
        out.value("download_url_expires_at", expires)?;
    }
    out.0.push(b'}');
    Ok(out.0)
}

/// An object being written.
struct Text(Vec<u8>);

impl Text {
    /// Begins an entry; keys here need no escaping.
    fn key(&mut self, key: &str) {
        if self.0.last() != Some(&b'{') {
            self.0.push(b',');
        }
        self.0.push(b'"');
        self.0.extend_from_slice(key.as_bytes());
        self.0.extend_from_slice(b"\":");
    }

    fn raw(&mut self, key: &str, json: &str) {
        self.key(key);
        self.0.extend_from_slice(json.as_bytes());
    }

    fn string(&mut self, key: &str, text: &str) -> Result<()> {
        self.value(key, text)
    }

    /// [`Text::string`] for a text that holds nothing that JSON escapes, such as an id.
    fn plain(&mut self, key: &str, text: &str) {
        self.address(key, &[text], "");
    }

    /// [`DocumentUrls`], without making its texts first: this is a tenth of answering a small
    /// document. Addresses and ids hold nothing that JSON escapes; a folder's name may.
    fn urls(&mut self, base_url: &str, head: &Head, folder: &FolderPath) -> Result<()> {
        let (owner, id) = (head.owner.as_str(), head.id.as_str());
        let endpoint = [base_url, "/api/v1/users/", owner, "/documents/", id];
        self.raw("urls", "{");
        self.address("endpoint", &endpoint, "");
        self.address("document_view", &[base_url, "/d/", owner, "/", id], "");
        self.address("parent_folder", &[&tree::folder_view(base_url, &head.owner, folder)], "");
        self.string("parent_folder_title", folder.title())?;
        self.address("thumbnail", &endpoint, "/thumbnail.png");
        self.0.push(b'}');
        Ok(())
    }

    fn address(&mut self, key: &str, parts: &[&str], end: &str) {
        self.key(key);
        self.0.push(b'"');
        parts.iter().for_each(|it| self.0.extend_from_slice(it.as_bytes()));
        self.0.extend_from_slice(end.as_bytes());
        self.0.push(b'"');
    }

    fn value<T: Serialize + ?Sized>(&mut self, key: &str, value: &T) -> Result<()> {
        self.key(key);
        Ok(serde_json::to_writer(&mut self.0, value)?)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn addresses_are_written_as_they_are_described() {
        let head = Head { owner: AccountId::from_text("12"), ..Head::empty(Timestamp(0)) };
        for path in ["/", "/Sales \"and\" more/Größe"] {
            let folder = FolderPath::parse(path).unwrap();
            let mut out = Text(vec![b'{']);
            out.urls("https://charts.example.com", &head, &folder).unwrap();
            out.0.push(b'}');
            let want = urls("https://charts.example.com", &head.owner, &head.id, &folder);
            let want = serde_json::to_value(want);
            let found: Value = serde_json::from_slice(&out.0).unwrap();
            assert_eq!(found["urls"], want.unwrap(), "{path}");
        }
    }
}
