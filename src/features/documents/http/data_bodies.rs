//! Request bodies with records or with a table.

use std::sync::OnceLock;
use std::time::Duration;

use hyper::body::Bytes;
use hyper::header::CONTENT_TYPE;
use schemars::Schema;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;
use serde_json::value::RawValue;

use crate::app::App;
use crate::features::documents::draft::Draft;
use crate::features::documents::record_columns;
use crate::features::documents::record_columns::RecordTableLimits;
use crate::features::documents::records::Records;
use crate::features::documents::table_profiles;
use crate::features::table_reader;
use crate::features::table_reader::BudgetedTable;
use crate::features::table_reader::DeclaredType;
use crate::features::table_reader::HeadingRow;
use crate::features::table_reader::JsonRows;
use crate::features::table_reader::Limits;
use crate::features::table_reader::NextPage;
use crate::features::table_reader::ReadOptions;
use crate::features::table_reader::TableReport;
use crate::features::tables::ColumnProfile;
use chartroom_charts::Locale;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::FromRequest;
use chartroom_platform::http::Request;
use chartroom_platform::http::endpoint::Operation;
use chartroom_platform::http::json_body;
use chartroom_platform::http::multipart;
use chartroom_platform::language;

/// Memory for the conversion of JSON with records in an envelope, as a multiple of the length of the text.
const ENVELOPE_FACTOR: u64 = 16;
/// Maximum time that the conversion waits for memory.
const MAX_MEMORY_WAIT: Duration = Duration::from_secs(10);

/// Unparsed request body of `PUT …/documents/{doc}/data`. See [`DataBody::parse`].
pub struct DataBody {
    format: BodyFormat,
    declared: DeclaredType,
    bytes: Bytes,
    /// The rows of [`BodyFormat::Envelope`] as an array of arrays, after the first use.
    rows: OnceLock<JsonRows>,
}

/// Format of a [`DataBody`].
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum BodyFormat {
    /// A JSON array of records.
    Records,
    /// A JSON object with a list of records somewhere in it, as web services send it.
    Envelope,
    /// A table in another format.
    Table,
}

/// Options for a table in a request body.
#[derive(Debug, Clone, Copy)]
pub struct TableOptions<'a> {
    /// Name of the worksheet; the first visible one when None.
    pub sheet: Option<&'a str>,
    /// Language tag that tells the decimal separator if the table does not.
    pub locale: Option<&'a str>,
}

/// The content of a [`DataBody`].
pub enum ParsedData<'a, 'b> {
    /// `application/json` with an array of records.
    Records(Records),
    /// All other formats.
    Table(Box<BudgetedTable<'a, 'b>>),
}

impl DataBody {
    /// Parses the body, with as many records as the configuration allows, and maps no columns yet.
    ///
    /// # Errors
    /// `InvalidFields` with the path of the first mistake in JSON, or about `body`, `data` or
    /// `sheet` for a table. `Busy` if other tables do not release memory in time.
    pub fn parse<'b>(
        &self,
        app: &'b App,
        options: &TableOptions<'_>,
    ) -> Result<ParsedData<'_, 'b>> {
        if let Some(table) = self.read_table(app, options)? {
            return Ok(ParsedData::Table(Box::new(table)));
        }
        let data: Box<RawValue> = json_body::parse_json(&self.bytes)?;
        Ok(ParsedData::Records(Records::parse(data.get(), app.config.max_records)?))
    }

    /// Reads the table in the body and reserves its memory. Returns None for a JSON array of
    /// records, for which `sheet` must be absent.
    ///
    /// # Errors
    /// `InvalidFields` about `body`, `data` or `sheet`. `Busy` if other tables do not release
    /// memory in time.
    fn read_table<'b>(
        &self,
        app: &'b App,
        options: &TableOptions<'_>,
    ) -> Result<Option<BudgetedTable<'_, 'b>>> {
        if self.format != BodyFormat::Records {
            let (bytes, declared) = self.table_bytes(app)?;
            let options = ReadOptions {
                sheet: options.sheet,
                locale: options.locale.map(Locale::parse),
                caller_locale: Some(Locale::parse(language::current().tag())),
                ..declared
            };
            let limits = Limits {
                max_rows: app.config.max_records,
                max_text_bytes: app.config.max_document_bytes,
                deadline: None,
            };
            return table_reader::read_within_budget(&app.work_memory, bytes, &options, limits)
                .map(Some);
        }
        match options.sheet {
            None => Ok(None),
            Some(sheet) => {
                let message =
                    format!("must be absent, because records have no worksheets, not {sheet:?}");
                Err(Error::invalid_field("sheet", message))
            }
        }
    }
}

impl DataBody {
    /// Creates the body.
    fn new(declared: DeclaredType, bytes: Bytes) -> Self {
        let is_object = || {
            let text = table_reader::without_byte_order_mark(&bytes);
            text.trim_ascii_start().starts_with(b"{")
        };
        let format = match table_reader::is_table(&bytes, declared.media_type.as_deref()) {
            true => BodyFormat::Table,
            false if is_object() => BodyFormat::Envelope,
            false => BodyFormat::Records,
        };
        Self { format, declared, bytes, rows: OnceLock::new() }
    }

    /// Returns the bytes of a table with the options for their type. Converts an envelope at the first use.
    ///
    /// # Errors
    /// `InvalidFields` about `body` for an envelope without exactly one list of records, or with one page of several.
    /// `Busy` if other requests do not release memory in time.
    fn table_bytes(&self, app: &App) -> Result<(&[u8], ReadOptions<'_>)> {
        if self.format != BodyFormat::Envelope {
            return Ok((&self.bytes, self.declared.read_options()));
        }
        let rows = match self.rows.get() {
            Some(rows) => rows,
            None => {
                let needed = (self.bytes.len() as u64).saturating_mul(ENVELOPE_FACTOR);
                let reserved = app.work_memory.reserve(needed, MAX_MEMORY_WAIT);
                let _reserved = reserved.map_err(|_| Error::Busy)?;
                let found = table_reader::find_json_rows(&self.bytes, &[])?;
                if table_reader::find_next_page(&self.bytes, 0) != NextPage::None {
                    let message = "is JSON with only one page of its records";
                    return Err(Error::invalid_field("body", message));
                }
                self.rows.get_or_init(|| found)
            }
        };
        let heading_row = match rows.has_headings {
            true => HeadingRow::Present,
            false => HeadingRow::Detect,
        };
        Ok((&rows.text, ReadOptions { heading_row, ..ReadOptions::default() }))
    }
}

/// Request body of `POST /tables/document`: a form with the parts `document` and `table`.
pub struct DocumentTableBody {
    pub document: Draft,
    pub table: DataBody,
}

/// Request body of `POST /tables`: a table as in `PUT …/documents/{doc}/data`.
pub struct TableBody(pub(super) DataBody);

/// The columns of a table, and the description of its file.
pub struct AnalyzedTable {
    pub columns: Vec<ColumnProfile>,
    /// None for a JSON array of records.
    pub report: Option<TableReport>,
}

/// Maximum number of columns of an analysed table. The response has a mapping for each chart kind.
const MAX_ANALYZED_COLUMNS: usize = 200;

impl TableBody {
    /// Returns the profiles of the columns of a table or JSON records, and describes the file.
    ///
    /// # Errors
    /// `InvalidFields` about `body`, `data` or `sheet` if the body is not a table, or exceeds a
    /// limit. `Busy` if other tables do not release memory in time.
    pub fn analyze(&self, app: &App, options: &TableOptions<'_>) -> Result<AnalyzedTable> {
        let Self(body) = self;
        let Some(table) = body.read_table(app, options)? else {
            let data: Box<RawValue> = json_body::parse_json(&body.bytes)?;
            let max_records = app.config.max_records;
            let limits = RecordTableLimits { max_columns: MAX_ANALYZED_COLUMNS, max_records };
            let columns = record_columns::profile_columns(data.get(), limits)?;
            return Ok(AnalyzedTable { columns, report: None });
        };
        if table.headings.len() > MAX_ANALYZED_COLUMNS {
            let message = format!("has more than {MAX_ANALYZED_COLUMNS} columns");
            return Err(Error::invalid_field("body", message));
        }
        let columns = table_profiles::profile_columns(&table)?;
        Ok(AnalyzedTable { columns, report: Some(table.report.clone()) })
    }
}

impl FromRequest for TableBody {
    fn from_request(request: &Request) -> Result<Self> {
        DataBody::from_request(request).map(Self)
    }

    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.subschema_for::<Vec<Value>>();
        describe_table_body(operation, &schema);
    }
}

impl FromRequest for DocumentTableBody {
    fn from_request(request: &Request) -> Result<Self> {
        let parts = multipart::parse_form(request)?;
        let find = |name: &str| {
            let found = parts.iter().find(|part| part.name == name);
            found.ok_or_else(|| Error::invalid_field(name, "must be given"))
        };
        let document = json_body::parse_json(&find("document")?.content)?;
        let part = find("table")?;
        let declared = DeclaredType::parse(part.content_type.as_deref().unwrap_or_default());
        Ok(Self { document, table: DataBody::new(declared, part.content.clone()) })
    }

    fn describe(operation: &mut Operation<'_>) {
        let document = operation.schemas.subschema_for::<Draft>();
        let schema = json!({
            "type": "object",
            "required": ["document", "table"],
            "properties": {
                "document": document,
                "table": { "type": "string", "format": "binary" },
            },
        });
        let encoding = json!({ "document": { "contentType": "application/json" } });
        let content = json!({ "multipart/form-data": { "schema": schema, "encoding": encoding } });
        operation.value["requestBody"] = json!({ "required": true, "content": content });
    }
}

impl FromRequest for DataBody {
    /// Takes the unparsed body. Fails if it is neither a table nor has a JSON content type.
    fn from_request(request: &Request) -> Result<Self> {
        let declared = DeclaredType::parse(request.header(&CONTENT_TYPE).unwrap_or_default());
        let body = Self::new(declared, request.body.clone());
        if body.format != BodyFormat::Table {
            json_body::require_json_type(&request.headers, &request.body)?;
        }
        Ok(body)
    }

    fn describe(operation: &mut Operation<'_>) {
        let schema = operation.schemas.subschema_for::<Vec<Map<String, Value>>>();
        describe_table_body(operation, &schema);
    }
}

/// Adds a request body to an operation: a table in any format, or JSON with this schema.
fn describe_table_body(operation: &mut Operation<'_>, schema: &Schema) {
    let mut content = json!({ "application/json": { "schema": schema } });
    for media_type in table_reader::TABLE_TYPES {
        content[media_type] = json!({});
    }
    operation.value["requestBody"] = json!({ "required": true, "content": content });
}
