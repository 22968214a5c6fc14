//! Request bodies with records or with a table.

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
use crate::features::table_reader::Limits;
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

/// Unparsed request body of `PUT …/documents/{doc}/data`. See [`DataBody::parse`].
pub struct DataBody {
    /// True for a table, false for a JSON array of records.
    is_table: bool,
    declared: DeclaredType,
    bytes: Bytes,
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
    /// `application/json`: an array of records.
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
        if self.is_table {
            let options = ReadOptions {
                sheet: options.sheet,
                locale: options.locale.map(Locale::parse),
                caller_locale: Some(Locale::parse(language::current().tag())),
                ..self.declared.read_options()
            };
            let limits = Limits {
                max_rows: app.config.max_records,
                max_text_bytes: app.config.max_document_bytes,
                deadline: None,
            };
            let memory = &app.work_memory;
            return table_reader::read_within_budget(memory, &self.bytes, &options, limits)
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
        let is_table = table_reader::is_table(&part.content, declared.media_type.as_deref());
        Ok(Self { document, table: DataBody { is_table, declared, bytes: part.content.clone() } })
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
        let is_table = table_reader::is_table(&request.body, declared.media_type.as_deref());
        if !is_table {
            json_body::require_json_type(&request.headers, &request.body)?;
        }
        Ok(Self { is_table, declared, bytes: request.body.clone() })
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
