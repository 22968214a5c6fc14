//! Workspaces, folders, sheets and attachments of the account.

use serde_json::Value;
use serde_json::json;

use crate::http::Response;

/// First id. Ids are odd numbers above 2^53, which a program that reads them as floating-point numbers
/// confuses with their neighbours.
const FIRST_ID: u64 = (1 << 53) + 1;

/// A workspace.
#[derive(Debug, Clone)]
pub struct Workspace {
    pub id: u64,
    pub name: String,
}

/// A folder.
#[derive(Debug, Clone)]
pub struct Folder {
    pub id: u64,
    /// Id of the workspace or folder that contains it.
    pub parent: u64,
    pub name: String,
}

/// A column of a sheet.
#[derive(Debug, Clone)]
pub struct Column {
    pub id: u64,
    pub title: String,
    /// Type such as `TEXT_NUMBER`, `DATE` or `CHECKBOX`.
    pub kind: String,
}

/// A cell of a sheet.
#[derive(Debug, Clone, Default)]
pub struct Cell {
    /// Value. `Null` for an empty cell.
    pub value: Value,
    /// Text that the sheet shows, if the API sends one.
    pub display: Option<String>,
}

impl Cell {
    /// Returns a cell that shows its value. The API sends no text for dates and checkboxes.
    pub fn new(kind: &str, value: Value) -> Self {
        let display = match (&value, kind) {
            (Value::String(text), "TEXT_NUMBER" | "PICKLIST") => Some(text.clone()),
            (Value::Number(number), _) => Some(number.to_string()),
            _ => None,
        };
        Self { value, display }
    }
}

/// A row of a sheet.
#[derive(Debug, Clone)]
pub struct Row {
    pub id: u64,
    /// Cells in the order of the columns.
    pub cells: Vec<Cell>,
}

/// A sheet.
#[derive(Debug, Clone)]
pub struct Sheet {
    pub id: u64,
    /// Id of the workspace or folder that contains it. None for a sheet outside of all.
    pub parent: Option<u64>,
    pub name: String,
    /// Number that grows with each change of the columns and rows.
    pub version: u64,
    /// Last part of the path of its permalink.
    pub key: String,
    /// Key of the published page.
    pub published: Option<String>,
    pub columns: Vec<Column>,
    pub rows: Vec<Row>,
    /// Versions to add with the next requests for rows, as if another person changed the sheet.
    pub changes_during_reads: u32,
}

/// A version of a file that is attached to a sheet.
#[derive(Debug, Clone)]
pub struct Attachment {
    pub id: u64,
    pub sheet: u64,
    /// Id of the first version. All versions of a file have the same.
    pub file: u64,
    pub name: String,
    pub media_type: String,
    pub content: Vec<u8>,
    /// `FILE`, or the type of a link such as `LINK`.
    pub kind: String,
    /// `SHEET`, `ROW` or `COMMENT`.
    pub parent_kind: String,
    /// Time of the upload in RFC 3339.
    pub created: String,
}

/// The content of the account.
#[derive(Debug)]
pub struct Sheets {
    pub user_id: u64,
    pub user_email: String,
    pub workspaces: Vec<Workspace>,
    pub folders: Vec<Folder>,
    pub sheets: Vec<Sheet>,
    /// Versions of all files in the order of their uploads.
    pub attachments: Vec<Attachment>,
    /// Response in place of the next download.
    pub download_fault: Option<Response>,
    /// Content of a version of the newest file to add before the next upload, as if another person
    /// uploaded it at the same time.
    pub version_before_upload: Option<Vec<u8>>,
    /// Scheme, host and port for downloads.
    pub(super) download_url: String,
    /// Keys of the URLs of downloads with the ids of the attachments.
    pub(super) downloads: Vec<(String, u64)>,
    counter: u64,
}

impl Sheets {
    /// Creates an account with the workspace `Team`, in which there are a folder `Reports` and the sheet
    /// `Sales`.
    pub(super) fn with_example() -> Self {
        let mut sheets = Self {
            user_id: FIRST_ID,
            user_email: "ann@example.com".to_owned(),
            workspaces: Vec::new(),
            folders: Vec::new(),
            sheets: Vec::new(),
            attachments: Vec::new(),
            download_fault: None,
            version_before_upload: None,
            download_url: String::new(),
            downloads: Vec::new(),
            counter: 1,
        };
        let team = sheets.add_workspace("Team");
        let _ = sheets.add_folder(team, "Reports");
        let columns = [
            ("Item", "TEXT_NUMBER"),
            ("Day", "DATE"),
            ("Amount", "TEXT_NUMBER"),
            ("Paid", "CHECKBOX"),
        ];
        let rows = [
            json!(["Pears", "2026-01-31", 12.5, true]),
            json!(["Apples", "2026-02-01", 40, false]),
            json!(["Plums", null, null, null]),
        ];
        let _ = sheets.add_sheet(Some(team), "Sales", &columns, &rows);
        sheets
    }

    /// Returns an id that was never used before.
    pub(super) fn next_id(&mut self) -> u64 {
        self.counter += 1;
        FIRST_ID + self.counter * 2
    }

    /// Adds a workspace and returns its id.
    pub fn add_workspace(&mut self, name: &str) -> u64 {
        let id = self.next_id();
        self.workspaces.push(Workspace { id, name: name.to_owned() });
        id
    }

    /// Adds a folder and returns its id.
    pub fn add_folder(&mut self, parent: u64, name: &str) -> u64 {
        let id = self.next_id();
        self.folders.push(Folder { id, parent, name: name.to_owned() });
        id
    }

    /// Adds a sheet and returns its id. `columns` are titles and types, and `rows` are arrays of values.
    pub fn add_sheet(
        &mut self,
        parent: Option<u64>,
        name: &str,
        columns: &[(&str, &str)],
        rows: &[Value],
    ) -> u64 {
        let id = self.next_id();
        let columns = columns.iter().map(|(title, kind)| Column {
            id: self.next_id(),
            title: (*title).to_owned(),
            kind: (*kind).to_owned(),
        });
        let columns: Vec<Column> = columns.collect();
        let rows = rows.iter().map(|row| {
            let value = |index: usize| row.get(index).cloned().unwrap_or_default();
            let cells = columns.iter().enumerate();
            let cells = cells.map(|(index, column)| Cell::new(&column.kind, value(index)));
            Row { cells: cells.collect(), id: self.next_id() }
        });
        let rows = rows.collect();
        let (name, key) = (name.to_owned(), format!("key{id}"));
        let sheet = Sheet {
            id,
            parent,
            name,
            version: 1,
            key,
            published: None,
            columns,
            rows,
            changes_during_reads: 0,
        };
        self.sheets.push(sheet);
        id
    }

    /// Adds the first version of a file to a sheet, and returns its id.
    pub fn add_attachment(&mut self, sheet: u64, name: &str, content: &[u8]) -> u64 {
        self.add_version(sheet, None, (name, "application/octet-stream"), content)
    }

    /// Adds a version of a file to a sheet, and returns its id. `file` is None for the first version.
    /// `description` is the name and the media type.
    pub fn add_version(
        &mut self,
        sheet: u64,
        file: Option<u64>,
        (name, media_type): (&str, &str),
        content: &[u8],
    ) -> u64 {
        let id = self.next_id();
        let seconds = self.counter;
        self.attachments.push(Attachment {
            id,
            sheet,
            file: file.unwrap_or(id),
            name: name.to_owned(),
            media_type: media_type.to_owned(),
            content: content.to_vec(),
            kind: "FILE".to_owned(),
            parent_kind: "SHEET".to_owned(),
            created: format!("2026-05-01T12:{:02}:{:02}Z", seconds / 60 % 60, seconds % 60),
        });
        id
    }

    /// Returns the sheet with the id in a path.
    pub(super) fn find_sheet(&self, id: &str) -> Option<&Sheet> {
        let id: u64 = id.parse().ok()?;
        self.sheets.iter().find(|sheet| sheet.id == id)
    }

    /// Returns the version of a file of a sheet with the id in a path.
    pub(super) fn find_attachment(&self, sheet: u64, id: &str) -> Option<&Attachment> {
        let id: u64 = id.parse().ok()?;
        self.attachments.iter().find(|version| version.sheet == sheet && version.id == id)
    }

    /// Removes a workspace, folder or sheet with its content.
    pub(super) fn remove(&mut self, id: u64) {
        let inner =
            self.folders.iter().filter(|folder| folder.parent == id).map(|folder| folder.id);
        let sheets =
            self.sheets.iter().filter(|sheet| sheet.parent == Some(id)).map(|sheet| sheet.id);
        for inner in inner.chain(sheets).collect::<Vec<u64>>() {
            self.remove(inner);
        }
        self.workspaces.retain(|workspace| workspace.id != id);
        self.folders.retain(|folder| folder.id != id);
        self.sheets.retain(|sheet| sheet.id != id);
        self.attachments.retain(|attachment| attachment.sheet != id);
    }
}
