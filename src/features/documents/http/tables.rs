//! Handler that analyses a table without storing it: its columns, and the chart kinds that suit it.

use schemars::JsonSchema;
use serde::Deserialize;
use serde::Serialize;

use super::data;
use super::data::DataPreview;
use super::data::DataQuery;
use super::data_bodies::AnalyzedTable;
use super::data_bodies::DocumentTableBody;
use super::data_bodies::ParsedData;
use super::data_bodies::TableBody;
use super::data_bodies::TableOptions;
use super::image_response;
use crate::app::RequestContext;
use crate::features::accounts::User;
use crate::features::documents::actions::images;
use crate::features::documents::column_problems;
use crate::features::documents::column_problems::ColumnProblem;
use crate::features::documents::content_memory;
use crate::features::documents::download_token::OutputFormat;
use crate::features::documents::mapping_view::MappingView;
use crate::features::documents::records::RecordLimits;
use crate::features::documents::render_options::RenderOptions;
use crate::features::documents::rules;
use crate::features::documents::table_draft::TableDraft;
use crate::features::table_reader::TableReport;
use crate::features::tables;
use crate::features::tables::ColumnProfile;
use crate::features::tables::KindFit;
use crate::features::tables::TableColumnType;
use chartroom_charts::svg::TextMode;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::http::Json;
use chartroom_platform::http::Query;
use chartroom_platform::http::Response;
use chartroom_platform::http::endpoint::RawJson;

/// Response of `POST /tables`.
#[derive(Serialize, JsonSchema)]
pub struct TableAnalysis {
    /// Number of records.
    records: usize,
    columns: Vec<TableColumn>,
    /// Cells that do not fit the type of their column, that have two readings, or that name the
    /// same record as an earlier one, at most five for each column. Then the rows that are left
    /// out.
    problems: Vec<ColumnProblem>,
    /// All chart kinds, best first.
    kinds: Vec<KindScore>,
    /// Description of the file. Absent for a JSON array of records.
    #[serde(skip_serializing_if = "Option::is_none")]
    table: Option<TableReport>,
}

/// Query of `POST /tables`.
#[derive(Deserialize, JsonSchema)]
pub struct TableQuery {
    /// Name of a worksheet; the first visible one when absent.
    sheet: Option<String>,
    /// Language tag, such as `de`, that tells the decimal separator if the table does not.
    locale: Option<String>,
}

/// A column of a table.
#[derive(Serialize, JsonSchema)]
pub struct TableColumn {
    heading: String,
    /// `empty` if all cells are empty or placeholders such as `n/a`.
    #[serde(rename = "type")]
    #[schemars(extend("enum" = ["number", "date", "boolean", "text", "empty"]))]
    column_type: &'static str,
    /// The first three different cells, shortened.
    examples: Vec<String>,
    /// Number of empty cells and placeholders.
    empty: usize,
    /// Smallest number; absent for other types.
    #[serde(skip_serializing_if = "Option::is_none")]
    minimum: Option<f64>,
    /// Largest number; absent for other types.
    #[serde(skip_serializing_if = "Option::is_none")]
    maximum: Option<f64>,
    /// Number of all cells with a problem.
    problems: usize,
}

/// A chart kind with its score for a table.
#[derive(Serialize, JsonSchema)]
pub struct KindScore {
    /// UUID.
    id: &'static str,
    slug: &'static str,
    title: &'static str,
    /// 0 to 1.
    score: f64,
    /// Short explanation of the score.
    #[serde(serialize_with = "chartroom_platform::messages::serialize")]
    reason: String,
    #[serde(flatten)]
    mapping: MappingView,
}

/// Handles `POST /tables`: returns the columns of the table in the body, their problems, and all
/// chart kinds with their scores, best first. For a signed-in user. Stores nothing.
pub fn analyze(
    request: &RequestContext,
    _: &User,
    (Query(query), body): (Query<TableQuery>, TableBody),
) -> Result<RawJson<TableAnalysis>> {
    let options = TableOptions { sheet: query.sheet.as_deref(), locale: query.locale.as_deref() };
    let AnalyzedTable { columns: profiles, report } = body.analyze(request.app, &options)?;
    let left_out = profiles.iter().flat_map(|profile| {
        profile.left_out.iter().map(|note| ColumnProblem {
            column: profile.heading.clone(),
            record: note.record,
            text: note.text.clone(),
            message: note.message,
        })
    });
    let response = Response::json(&TableAnalysis {
        records: profiles.first().map_or(0, |profile| profile.records),
        problems: column_problems::list_problems(&profiles).into_iter().chain(left_out).collect(),
        kinds: tables::rank_kinds(&profiles).iter().map(build_score).collect(),
        columns: profiles.iter().map(build_column).collect(),
        table: report,
    })?;
    Ok(RawJson::new(response.with_language()?))
}

/// Query of `POST /tables/chart.svg`.
#[derive(Deserialize, JsonSchema)]
pub struct TableImageQuery {
    /// UUID or slug of the chart kind; the one that suits the table best when absent.
    kind: Option<String>,
    /// Title of the chart; none when absent.
    title: Option<String>,
    /// Name of a worksheet; the first visible one when absent.
    sheet: Option<String>,
    /// Language tag, such as `de`, for the numbers of the table and the texts of the chart.
    locale: Option<String>,
    /// Points, 40 to 4,096, rounded to whole points; the size of the kind when absent.
    width: Option<f64>,
    /// Points, 40 to 4,096, rounded to whole points; the size of the kind when absent.
    height: Option<f64>,
    /// Name of a built-in theme; `light` when absent.
    theme: Option<String>,
}

/// Handles `POST /tables/chart.svg`: draws the table in the body as a chart of a kind, with the columns
/// mapped as `PUT …/data` does, and returns the SVG. For a signed-in user. Stores nothing.
pub fn draw(
    request: &RequestContext,
    _: &User,
    (Query(query), TableBody(body)): (Query<TableImageQuery>, TableBody),
) -> Result<Response> {
    let theme = query.theme.unwrap_or_default();
    rules::check_theme("theme", &theme)?;
    let options = RenderOptions {
        width: query.width,
        height: query.height,
        theme: Some(theme).filter(|theme| !theme.is_empty()),
        // Pages show the image in an element that does not use their fonts.
        text: TextMode::Embedded,
        ..RenderOptions::default()
    };
    let options = options.normalize(OutputFormat::Svg)?;
    let title = query.title.unwrap_or_default();
    let locale = query.locale.as_deref();
    let draft = TableDraft { kind: query.kind.as_deref(), title: &title, locale };
    let config = &request.app.config;
    let limits =
        RecordLimits { max_records: config.max_records, max_bytes: config.max_document_bytes };
    let table_options = TableOptions { sheet: query.sheet.as_deref(), locale };
    let chart = match body.parse(request.app, &table_options)? {
        ParsedData::Records(data) => {
            let text = String::from_utf8(data.to_json())
                .map_err(|_| Error::internal("records are not UTF-8"))?;
            draft.use_records(&text, limits)?
        }
        ParsedData::Table(table) => {
            let _memory = content_memory::reserve_records(request.app, &table, request.body.len())?;
            draft.map_table(&table, limits)?
        }
    };
    let image = images::render(request.app, &chart.input, &options, OutputFormat::Svg)?;
    image_response::build_image_response(&image, &title, OutputFormat::Svg, false)
}

/// Handles `POST /tables/document`: returns the content that the document in the form would have with the
/// table in the form, as `POST …/data` does for a stored document. For a signed-in user. Stores nothing.
pub fn fill_document(
    request: &RequestContext,
    caller: &User,
    (Query(query), body): (Query<DataQuery>, DocumentTableBody),
) -> Result<Json<DataPreview>> {
    let max_records = request.app.config.max_records;
    let (document, records) = body.document.into_document(&caller.id, max_records)?;
    let old_chunks = || Ok(records.chunks.clone());
    data::build_preview(request, &document, &old_chunks, &query, &body.table).map(Json)
}

/// Builds the description of a column from its profile. `problems` counts more than are listed.
fn build_column(profile: &ColumnProfile) -> TableColumn {
    TableColumn {
        heading: profile.heading.clone(),
        column_type: match profile.column_type {
            TableColumnType::Empty => "empty",
            TableColumnType::Number => "number",
            TableColumnType::Date(_) => "date",
            TableColumnType::Boolean => "boolean",
            TableColumnType::Text => "text",
        },
        examples: profile.examples.clone(),
        empty: profile.empty,
        minimum: profile.range.map(|(low, _)| low),
        maximum: profile.range.map(|(_, high)| high),
        problems: profile.problem_count,
    }
}

/// Builds the entry of a chart kind in the response: its id, slug and title, the score from 0 to 1
/// (1 is best) with the reason, and the mapping of the table's columns to those of the kind.
fn build_score(fit: &KindFit) -> KindScore {
    KindScore {
        id: &fit.kind.id,
        slug: &fit.kind.slug,
        title: &fit.kind.localized().title,
        score: fit.score,
        reason: fit.reason.clone(),
        mapping: MappingView::new(&fit.mapping),
    }
}
