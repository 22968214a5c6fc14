//! Charts of tables that are rendered without being stored.

use serde_json::Value;

use super::column_problems;
use super::column_problems::ColumnProblem;
use super::image::RenderInput;
use super::mapped_settings::MappedSettings;
use super::mapping_view::MappingView;
use super::record_keys;
use super::records::RecordLimits;
use super::records::Records;
use super::store::Document;
use super::table_profiles;
use super::table_records;
use super::table_texts;
use super::table_texts::TableTexts;
use crate::features::portfolio;
use crate::features::portfolio::KindInfo;
use crate::features::table_reader;
use crate::features::table_reader::Table;
use crate::features::tables;
use chartroom_platform::error::Error;
use chartroom_platform::error::Result;
use chartroom_platform::time::Timestamp;

/// The chart to make of a table.
#[derive(Debug, Clone, Copy)]
pub struct TableDraft<'a> {
    /// UUID or slug of the chart kind. If None, the kind that suits the table best.
    pub kind: Option<&'a str>,
    /// Title; may be empty.
    pub title: &'a str,
    /// Language tag for numbers, dates and fixed texts. If None, the default of the renderer.
    pub locale: Option<&'a str>,
}

/// A table as a chart.
pub struct TableChart {
    pub input: RenderInput,
    pub kind: &'static KindInfo,
    /// Columns of the table and of the kind. None for records with the keys of the kind.
    pub mapping: Option<MappingView>,
    /// Cells that do not fit their column.
    pub problems: Vec<ColumnProblem>,
}

impl TableDraft<'_> {
    /// Maps a table to the chart kind as `PUT …/data` does. The locale of the draft replaces that
    /// of the settings.
    ///
    /// # Errors
    /// `InvalidFields` about `kind` if there is no such kind or none suits, or about `data` or
    /// `body` if the table exceeds the limits.
    pub fn map_table(&self, table: &Table<'_>, limits: RecordLimits) -> Result<TableChart> {
        let profiles = table_profiles::profile_columns(table)?;
        let kind = match self.find_kind()? {
            Some(kind) => kind,
            None => {
                let best = tables::rank_kinds(&profiles).into_iter().next();
                best.ok_or_else(|| Error::invalid_field("kind", "must be given"))?.kind
            }
        };
        let mapping = tables::map_table(&profiles, kind);
        let mapped = table_records::convert_table(table, &profiles, &mapping, limits)?;
        let mapped_settings =
            MappedSettings::from_mapping(kind, &mapping, &profiles, mapped.repeated);
        let settings = mapped_settings.add_to_settings(&kind.default_settings.to_string())?;
        let mut input = self.build_input(kind, &settings, &mapped.records)?;
        let texts = TableTexts { title: None, footer: table_texts::find_footer(&mapping) };
        texts.add_to(&mut input.document)?;
        let problems = column_problems::list_mapped_problems(table, &mapping, &profiles)?;
        Ok(TableChart { input, kind, mapping: Some(MappingView::new(&mapping)), problems })
    }

    /// Converts a JSON array of objects to the JSON text of an array of rows, the first of which
    /// has the keys as headings. `None` if the draft names an existing chart kind and a record has
    /// one of its keys, if the values have lists or objects, or if `bytes` are no such array.
    ///
    /// With an existing kind, also `None` for no records, more than `max_records`, or too many
    /// bytes.
    pub fn rows_of_records(&self, bytes: &[u8], max_records: usize) -> Option<Vec<u8>> {
        let Some(kind) = self.kind.and_then(portfolio::find_kind) else {
            return table_reader::rows_of_records(bytes);
        };
        let records = Records::parse(str::from_utf8(bytes).ok()?, max_records).ok()?;
        let settings = kind.default_settings.to_string();
        record_keys::rows_of_foreign_records(&records, kind, &settings).ok()?
    }

    /// Makes a chart of records that have the keys of the chart kind. `text` is a JSON array of
    /// objects. Does not check `limits.max_bytes`. The result has no mapping and no problems.
    ///
    /// # Errors
    /// `InvalidFields` about `kind` if it is absent or there is no such kind, or about `data` with
    /// the path of the first mistake.
    pub fn use_records(&self, text: &str, limits: RecordLimits) -> Result<TableChart> {
        let kind = self.find_kind()?.ok_or_else(|| {
            let message = "must be given, because the keys of records are those of a chart kind";
            Error::invalid_field("kind", message)
        })?;
        let records = Records::parse(text, limits.max_records)?;
        let input = self.build_input(kind, &kind.default_settings.to_string(), &records)?;
        Ok(TableChart { input, kind, mapping: None, problems: Vec::new() })
    }

    /// Returns the requested chart kind, or None if the draft names none.
    ///
    /// # Errors
    /// `InvalidFields` about `kind` if there is no such kind.
    fn find_kind(&self) -> Result<Option<&'static KindInfo>> {
        let find = |id: &str| {
            portfolio::find_kind(id)
                .ok_or_else(|| Error::invalid_field("kind", format!("there is no kind {id:?}")))
        };
        self.kind.map(find).transpose()
    }

    /// Returns the input for rendering: a document without id and owner that has the draft's title,
    /// the default layout of the kind, and `settings` (JSON text) with the draft's locale if it has
    /// one.
    fn build_input(
        &self,
        kind: &KindInfo,
        settings: &str,
        records: &Records,
    ) -> Result<RenderInput> {
        let mut settings: Value = serde_json::from_str(settings)?;
        if let (Some(locale), Some(members)) = (self.locale, settings.as_object_mut()) {
            members.insert("locale".to_owned(), Value::from(locale));
        }
        Ok(RenderInput {
            data: records.to_json(),
            org_theme: None,
            document: Document {
                kind: kind.id.clone(),
                title: self.title.to_owned(),
                settings: settings.to_string(),
                style: Some(kind.default_layout.to_string()),
                record_count: records.count,
                ..Document::empty(Timestamp(0))
            },
        })
    }
}
