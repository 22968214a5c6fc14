//! Bodies of the requests that make and change documents, and their checks.

use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use schemars::JsonSchema;
use serde::Deserialize;
use serde::Deserializer;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::features::documents::actions::create::Creation;
use crate::features::documents::actions::create::Origin;
use crate::features::documents::actions::save::Move;
use crate::features::documents::actions::save::Replacement;
use crate::features::documents::csv::Table;
use crate::features::documents::history::Channel;
use crate::features::documents::records;
use crate::features::documents::records::Records;
use crate::features::documents::rules;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use crate::features::tree;
use crate::features::tree::FolderPath;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Input;
use chartroom_platform::http::Request;
use chartroom_platform::http::endpoint;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::id::NodeId;

/// Body of `POST /create-document`: `widget` or `template`, all else optional.
#[derive(Deserialize, JsonSchema)]
pub struct CreateBody {
    /// Id or slug of a chart kind.
    widget: Option<String>,
    /// Id of a document whose content is copied.
    template: Option<String>,
    /// Account whose it shall be; the caller when absent.
    owner: Option<String>,
    /// Absolute path, made when missing; the root when absent.
    folder: Option<String>,
    /// Cloud storage provider, together with `connection_id`.
    provider: Option<String>,
    connection_id: Option<String>,
    /// Folder of the provider, together with both.
    folder_id: Option<String>,
    /// `width`, `height` and `margin` (`top`, `right`, `bottom`, `left`) in points.
    #[schemars(with = "Option<Map<String, Value>>")]
    layout: Option<Box<RawValue>>,
}

impl CreateBody {
    /// The checked wish.
    pub fn read(self, channel: Channel) -> Result<Creation> {
        self.check_connection()?;
        let origin = match (self.widget, self.template) {
            (Some(_), Some(_)) => {
                return Err(Error::field("template", "give either widget or template, not both"));
            }
            (Some(widget), None) => Origin::Kind(kind("widget", &widget)?),
            (None, Some(template)) => Origin::Template(NodeId::from_text(template)),
            (None, None) => {
                return Err(Error::field("widget", "is required when there is no template"));
            }
        };
        if let Some(layout) = &self.layout {
            rules::check_layout_text(layout.get())?;
        }
        Ok(Creation {
            origin,
            owner: self.owner,
            folder: folder(self.folder.as_deref())?.unwrap_or_default(),
            layout: self.layout.map(|it| it.get().to_owned()),
            channel,
        })
    }
}

/// The words of the cloud storage providers.
const PROVIDERS: [&str; 5] = ["box", "dropbox", "googledrive", "onedrive", "smartsheet"];

impl CreateBody {
    /// Refuses to make a document with a cloud storage provider: nobody has a connection yet.
    fn check_connection(&self) -> Result<()> {
        let (provider, connection) = match (&self.provider, &self.connection_id) {
            (None, None) => {
                return match self.folder_id {
                    None => Ok(()),
                    Some(_) => {
                        let text = "goes with provider and connection_id";
                        Err(Error::field("folder_id", text))
                    }
                };
            }
            (Some(provider), Some(connection)) => (provider, connection),
            (provider, _) => {
                let missing = if provider.is_some() { "connection_id" } else { "provider" };
                return Err(Error::field(missing, "provider and connection_id go together"));
            }
        };
        if !PROVIDERS.contains(&provider.as_str()) {
            let text = format!("must be one of {}", PROVIDERS.join(" "));
            return Err(Error::field("provider", text));
        }
        let text = format!("you have no connection {connection:?} with {provider}");
        Err(Error::field("connection_id", text))
    }
}

/// Body of `PUT …/documents/{doc}`. An omitted field is reset to its zero value, except `plugin_id`,
/// `owner`, `custom_theme` and `style`, which are applied only when present. Other keys are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct PutBody {
    /// Chart kind to migrate to.
    plugin_id: Option<String>,
    /// At most 500 characters.
    title: Option<String>,
    #[schemars(with = "Option<Map<String, Value>>")]
    settings: Option<Box<RawValue>>,
    /// At most 100,000 records.
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    data: Option<Box<RawValue>>,
    /// Name of a theme.
    theme: Option<String>,
    /// Used in place of `theme`; null removes it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<Map<String, Value>>")]
    custom_theme: Option<Box<RawValue>>,
    /// Style and layout; null removes it.
    #[serde(default, deserialize_with = "present")]
    #[schemars(with = "Option<Map<String, Value>>")]
    style: Option<Box<RawValue>>,
    /// A picture to keep beside the document.
    svg: Option<String>,
    #[serde(rename = "isPublic")]
    is_public: Option<bool>,
    /// Account to move it to.
    owner: Option<String>,
    /// Above 0: nothing but this schema version is written.
    version: Option<i64>,
    /// Ends an editing session: a new thumbnail is drawn.
    final_save: Option<bool>,
}

/// A field that is there, even when it is null.
fn present<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

impl PutBody {
    /// The checked replacement; `most` is the most records there may be.
    pub fn read(self, most: usize) -> Result<Replacement> {
        let version = self.version.unwrap_or(0);
        if version < 0 {
            return Err(Error::field("version", "must not be negative"));
        }
        let theme = self.theme.unwrap_or_default();
        rules::check_theme("theme", &theme)?;
        Ok(Replacement {
            kind: self.plugin_id.map(|id| kind("plugin_id", &id)).transpose()?,
            title: title(self.title.as_deref())?.unwrap_or_default(),
            settings: match &self.settings {
                Some(settings) => rules::object("settings", settings.get())?,
                None => "{}".to_owned(),
            },
            data: match &self.data {
                Some(data) => Records::parse(data.get(), most)?,
                None => Records::default(),
            },
            theme,
            custom_theme: nullable(self.custom_theme, |text| rules::object("custom_theme", text))?,
            style: nullable(self.style, rules::style)?,
            svg: self.svg,
            is_public: self.is_public.unwrap_or(false),
            owner: self.owner,
            version,
            final_save: self.final_save.unwrap_or(false),
        })
    }
}

/// What is there is checked, unless it is null.
fn nullable(
    field: Option<Box<RawValue>>,
    check: impl FnOnce(&str) -> Result<String>,
) -> Result<Option<Option<String>>> {
    match field {
        None => Ok(None),
        Some(raw) if raw.get() == "null" => Ok(Some(None)),
        Some(raw) => Ok(Some(Some(check(raw.get())?))),
    }
}

/// Request body of `PUT …/documents/{doc}/data` as it came. [`DataBody::parse`] reads it.
pub struct DataBody {
    is_table: bool,
    text: Bytes,
}

/// The content of a [`DataBody`].
pub enum ParsedData {
    /// `application/json`: an array of records.
    Records(Records),
    /// `text/csv` or `text/tab-separated-values`; the first row names the columns.
    Table(Table),
}

impl DataBody {
    /// Parses the body, which may hold at most `max_records` records.
    ///
    /// # Errors
    /// `Fields` with the path or the cell of the first mistake.
    pub fn parse(&self, max_records: usize) -> Result<ParsedData> {
        if self.is_table {
            return Ok(ParsedData::Table(Table::parse(&self.text, max_records)?));
        }
        let data: Box<RawValue> = endpoint::parse_json(&self.text)?;
        Ok(ParsedData::Records(Records::parse(data.get(), max_records)?))
    }
}

impl Input for DataBody {
    fn of(request: &Request) -> Result<Self> {
        let content_type = request.header(&CONTENT_TYPE).unwrap_or("application/json");
        let media_type = content_type.split(';').next().unwrap_or_default().trim();
        let is_table = matches!(media_type, "text/csv" | "text/tab-separated-values");
        if !is_table {
            endpoint::require_json_type(request)?;
        }
        Ok(Self { is_table, text: request.body.clone() })
    }

    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.subschema_for::<Vec<Map<String, Value>>>();
        operation.value["requestBody"] = json!({
            "required": true,
            "content": {
                "application/json": { "schema": schema },
                "text/csv": {},
                "text/tab-separated-values": {},
            },
        });
    }
}

/// Body of `PATCH …/documents/{doc}` and of its `move`.
#[derive(Deserialize, JsonSchema)]
pub struct PatchBody {
    /// Absolute path, made when missing.
    folder: Option<String>,
    /// Account to move it to, into the root when there is no `folder`.
    owner: Option<String>,
    /// At most 500 characters.
    title: Option<String>,
}

impl PatchBody {
    /// The checked wish.
    pub fn read(self) -> Result<Move> {
        Ok(Move {
            folder: folder(self.folder.as_deref())?,
            owner: self.owner,
            title: title(self.title.as_deref())?,
        })
    }
}

/// Body of `POST …/documents/{doc}/move`.
#[derive(Deserialize, JsonSchema)]
pub struct MoveBody {
    /// Absolute path, made when missing.
    folder: Option<String>,
    /// Account to move it to, into the root when there is no `folder`.
    owner: Option<String>,
}

impl MoveBody {
    /// The checked wish.
    pub fn read(self) -> Result<Move> {
        if self.folder.is_none() && self.owner.is_none() {
            return Err(Error::field("folder", "is required when there is no owner"));
        }
        PatchBody { folder: self.folder, owner: self.owner, title: None }.read()
    }
}

/// Body of `POST …/documents/{doc}`.
#[derive(Deserialize, JsonSchema)]
pub struct ActionBody {
    /// `close`, `fork`, `duplicate` or `restore`.
    #[schemars(extend("enum" = ["close", "fork", "duplicate", "restore"]))]
    pub action: String,
    /// The version to fork; the newest when absent.
    pub history_version: Option<i64>,
}

/// Body of `add-record`: an object like those of `data`.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RecordBody {
    #[schemars(with = "Map<String, Value>")]
    record: Box<RawValue>,
}

impl RecordBody {
    /// The record as compact text.
    pub fn read(&self) -> Result<String> {
        let mut text = String::with_capacity(self.record.get().len());
        records::object(self.record.get(), &"data", &mut text)?;
        Ok(text)
    }
}

fn kind(field: &str, id: &str) -> Result<&'static KindInfo> {
    portfolio::find(id).ok_or_else(|| Error::field(field, format!("there is no chart kind {id:?}")))
}

fn folder(text: Option<&str>) -> Result<Option<FolderPath>> {
    text.map(FolderPath::parse).transpose().map_err(|message| Error::field("folder", message))
}

fn title(text: Option<&str>) -> Result<Option<String>> {
    text.map(tree::clean_title).transpose().map_err(|message| Error::field("title", message))
}
