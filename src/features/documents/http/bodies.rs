//! Request bodies that create and change documents, and their validation.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Deserializer;
use serde_json::Map;
use serde_json::Value;
use serde_json::value::RawValue;

use crate::features::documents::actions::create::InitialContent;
use crate::features::documents::actions::create::NewDocument;
use crate::features::documents::actions::save::DocumentReplacement;
use crate::features::documents::actions::save::MoveRequest;
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
use chartroom_platform::id::NodeId;
use chartroom_platform::language;
use chartroom_platform::language::Language;

/// Request body of `POST /create-document`. Either `widget` or `template` is required.
#[derive(Deserialize, JsonSchema)]
pub struct CreateBody {
    /// Id or slug of a chart kind.
    widget: Option<String>,
    /// Id of a document to copy the content from.
    template: Option<String>,
    /// Owner of the document; the caller when absent.
    owner: Option<String>,
    /// Absolute path of the folder, which is created if it does not exist; the root when absent.
    folder: Option<String>,
    /// Cloud storage provider, together with `connection_id`.
    provider: Option<String>,
    connection_id: Option<String>,
    /// Folder at the provider; requires `provider` and `connection_id`.
    folder_id: Option<String>,
    /// `width`, `height` and `margin` (`top`, `right`, `bottom`, `left`) in points.
    #[schemars(with = "Option<Map<String, Value>>")]
    layout: Option<Box<RawValue>>,
}

impl CreateBody {
    /// Creates the body for a document with this content that is kept elsewhere.
    pub fn of_content(
        widget: Option<String>,
        template: Option<String>,
        layout: Option<Box<RawValue>>,
    ) -> Self {
        let (owner, folder) = (None, None);
        let (provider, connection_id, folder_id) = (None, None, None);
        Self { widget, template, owner, folder, provider, connection_id, folder_id, layout }
    }

    /// Validates the body and returns the request to create a document. Does not check whether the
    /// template or the owner exists.
    ///
    /// # Errors
    /// `InvalidFields` about the first invalid field.
    pub fn validate(self, channel: Channel) -> Result<NewDocument> {
        let content = match (self.widget, self.template) {
            (Some(_), Some(_)) => {
                return Err(Error::invalid_field(
                    "template",
                    "give either widget or template, not both",
                ));
            }
            (Some(widget), None) => InitialContent::Kind {
                kind: parse_kind("widget", &widget)?,
                // Other clients get the settings of the kind, whatever language they prefer.
                language: match channel {
                    Channel::Web => language::current(),
                    _ => Language::English,
                },
            },
            (None, Some(template)) => InitialContent::Template(NodeId::from_text(template)),
            (None, None) => {
                return Err(Error::invalid_field(
                    "widget",
                    "is required when there is no template",
                ));
            }
        };
        if let Some(layout) = &self.layout {
            rules::check_layout_json(layout.get())?;
        }
        Ok(NewDocument {
            content,
            owner: self.owner,
            folder: parse_folder(self.folder.as_deref())?.unwrap_or_default(),
            layout: self.layout.map(|layout| layout.get().to_owned()),
            channel,
        })
    }
}

/// A place for a new document at a provider of cloud storage.
#[derive(Debug, Clone)]
pub struct ExternalPlace {
    /// Name of the provider.
    pub provider: String,
    /// Id of a connection.
    pub connection: String,
    /// Id of a folder as in the API. None is the root.
    pub folder: Option<String>,
}

impl CreateBody {
    /// Returns the place at a provider if the body names one.
    ///
    /// # Errors
    /// `InvalidFields` if only a part of the place is given.
    pub fn external_place(&self) -> Result<Option<ExternalPlace>> {
        match (&self.provider, &self.connection_id) {
            (None, None) if self.folder_id.is_some() => {
                Err(Error::invalid_field("folder_id", "requires provider and connection_id"))
            }
            (None, None) => Ok(None),
            (Some(provider), Some(connection)) => Ok(Some(ExternalPlace {
                provider: provider.clone(),
                connection: connection.clone(),
                folder: self.folder_id.clone(),
            })),
            (provider, _) => {
                let missing = if provider.is_some() { "connection_id" } else { "provider" };
                let text = "provider and connection_id must be given together";
                Err(Error::invalid_field(missing, text))
            }
        }
    }
}

/// Request body of `PUT …/documents/{doc}`.
///
/// An omitted field is reset to its zero value, except `plugin_id`, `owner`, `custom_theme` and
/// `style`, which are applied only when present. Other keys are ignored.
#[derive(Deserialize, JsonSchema)]
pub struct PutBody {
    /// Id or slug of the new chart kind.
    plugin_id: Option<String>,
    /// At most 500 characters.
    title: Option<String>,
    #[schemars(with = "Option<Map<String, Value>>")]
    settings: Option<Box<RawValue>>,
    /// At most 100,000 records.
    #[schemars(with = "Option<Vec<Map<String, Value>>>")]
    data: Option<Box<RawValue>>,
    /// Theme: a built-in name, or `{org id}/{name}` for a theme of an organization of the caller.
    theme: Option<String>,
    /// Overrides `theme`; null removes it.
    #[serde(default, deserialize_with = "deserialize_present")]
    #[schemars(with = "Option<Map<String, Value>>")]
    custom_theme: Option<Box<RawValue>>,
    /// Style and layout; null removes it.
    #[serde(default, deserialize_with = "deserialize_present")]
    #[schemars(with = "Option<Map<String, Value>>")]
    style: Option<Box<RawValue>>,
    /// SVG image to store with the document.
    svg: Option<String>,
    /// Guests with a share link cannot change it; if they omit it, it stays.
    #[serde(rename = "isPublic")]
    is_public: Option<bool>,
    /// New owner. Moving a document out of an organization requires the role `brand_manager` or
    /// `admin`.
    owner: Option<String>,
    /// Schema version. If it is above 0, all other fields are ignored.
    version: Option<i64>,
    /// Ends an editing session: the thumbnail is rendered now and the next save starts a version.
    final_save: Option<bool>,
}

/// Deserializes a field that is present, so that null becomes `Some` and an absent field `None`.
fn deserialize_present<'de, D: Deserializer<'de>>(
    from: D,
) -> std::result::Result<Option<Box<RawValue>>, D::Error> {
    Box::<RawValue>::deserialize(from).map(Some)
}

impl PutBody {
    /// Validates the body, which may have at most `max_records` records, and returns compact JSON.
    /// Absent fields become empty. Those that the document keeps become `None`.
    ///
    /// # Errors
    /// `InvalidFields` about the first invalid field.
    pub fn validate(self, max_records: usize) -> Result<DocumentReplacement> {
        let version = self.version.unwrap_or(0);
        if version < 0 {
            return Err(Error::invalid_field("version", "must not be negative"));
        }
        let theme = self.theme.unwrap_or_default();
        rules::check_theme("theme", &theme)?;
        Ok(DocumentReplacement {
            kind: self.plugin_id.map(|id| parse_kind("plugin_id", &id)).transpose()?,
            title: parse_title(self.title.as_deref())?.unwrap_or_default(),
            settings: match &self.settings {
                Some(settings) => rules::compact_object("settings", settings.get())?,
                None => "{}".to_owned(),
            },
            data: match &self.data {
                Some(data) => Records::parse(data.get(), max_records)?,
                None => Records::default(),
            },
            theme,
            custom_theme: check_nullable(self.custom_theme, |text| {
                rules::compact_object("custom_theme", text)
            })?,
            style: check_nullable(self.style, rules::compact_style)?,
            svg: self.svg,
            is_public: self.is_public,
            owner: self.owner,
            version,
            final_save: self.final_save.unwrap_or(false),
        })
    }
}

/// Checks a nullable JSON field. Returns `None` if it is absent, `Some(None)` if it is null, and
/// else the result of `check`, which gets its JSON text and returns the normalized text.
fn check_nullable(
    field: Option<Box<RawValue>>,
    check: impl FnOnce(&str) -> Result<String>,
) -> Result<Option<Option<String>>> {
    match field {
        None => Ok(None),
        Some(raw) if raw.get() == "null" => Ok(Some(None)),
        Some(raw) => Ok(Some(Some(check(raw.get())?))),
    }
}

/// Request body of `PATCH …/documents/{doc}`.
#[derive(Deserialize, JsonSchema)]
pub struct PatchBody {
    /// Absolute path of the new folder, which is created if it does not exist.
    folder: Option<String>,
    /// New owner. Without `folder`, the document moves to the owner's root. Moving a document out
    /// of an organization requires the role `brand_manager` or `admin`.
    owner: Option<String>,
    /// At most 500 characters.
    title: Option<String>,
}

impl PatchBody {
    /// Validates the body and returns the request to move or rename the document.
    ///
    /// # Errors
    /// `InvalidFields` about `folder` or `title`.
    pub fn validate(self) -> Result<MoveRequest> {
        Ok(MoveRequest {
            folder: parse_folder(self.folder.as_deref())?,
            owner: self.owner,
            title: parse_title(self.title.as_deref())?,
        })
    }
}

/// Request body of `POST …/documents/{doc}/move`. `folder` or `owner` is required.
#[derive(Deserialize, JsonSchema)]
pub struct MoveBody {
    /// Absolute path of the new folder, which is created if it does not exist.
    folder: Option<String>,
    /// New owner. Without `folder`, the document moves to the owner's root. Moving a document out
    /// of an organization requires the role `brand_manager` or `admin`.
    owner: Option<String>,
}

impl MoveBody {
    /// Validates the body and returns the request to move the document.
    ///
    /// # Errors
    /// `InvalidFields` about `folder`, also if neither folder nor owner is given.
    pub fn validate(self) -> Result<MoveRequest> {
        if self.folder.is_none() && self.owner.is_none() {
            return Err(Error::invalid_field("folder", "is required when there is no owner"));
        }
        PatchBody { folder: self.folder, owner: self.owner, title: None }.validate()
    }
}

/// Request body of `POST …/documents/{doc}`.
#[derive(Deserialize, JsonSchema)]
pub struct ActionBody {
    /// `close`, `fork`, `duplicate` or `restore`.
    #[schemars(extend("enum" = ["close", "fork", "duplicate", "restore"]))]
    pub action: String,
    /// Number of the version to fork; the newest when absent.
    pub history_version: Option<i64>,
}

/// Request body of `add-record`: an object like those in `data`.
#[derive(Deserialize, JsonSchema)]
#[serde(transparent)]
pub struct RecordBody {
    #[schemars(with = "Map<String, Value>")]
    record: Box<RawValue>,
}

impl RecordBody {
    /// Checks that the record is an object and returns it as compact JSON.
    ///
    /// # Errors
    /// `InvalidFields` about `data`.
    pub fn validate(&self) -> Result<String> {
        let mut text = String::with_capacity(self.record.get().len());
        records::append_compact_object(self.record.get(), &"data", &mut text)?;
        Ok(text)
    }
}

/// Returns the chart kind with an id or slug, which comes from the request field `field`.
///
/// # Errors
/// `InvalidFields` about `field` if there is none.
fn parse_kind(field: &str, id: &str) -> Result<&'static KindInfo> {
    portfolio::find_kind(id)
        .ok_or_else(|| Error::invalid_field(field, format!("there is no chart kind {id:?}")))
}

/// Parses an optional folder path. Does not check whether the folder exists.
fn parse_folder(text: Option<&str>) -> Result<Option<FolderPath>> {
    text.map(FolderPath::parse)
        .transpose()
        .map_err(|message| Error::invalid_field("folder", message))
}

/// Converts an optional title to Unicode NFC and checks its length. An error names `title`.
fn parse_title(text: Option<&str>) -> Result<Option<String>> {
    text.map(tree::parse_title)
        .transpose()
        .map_err(|message| Error::invalid_field("title", message))
}
