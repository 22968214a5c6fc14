//! The rules of shape, each a function from a source file to what it breaks.

use std::collections::BTreeMap;

use super::source::Source;
use super::source::words;

/// A rule: the complaints about one file.
pub type Rule = fn(&Source<'_>, &Shape) -> Vec<String>;

/// What the rules know beside the file.
pub struct Shape {
    /// The features, in their order.
    pub features: Vec<String>,
    /// Which part owns which table.
    pub owners: BTreeMap<String, String>,
}

impl Shape {
    /// From `src/features/mod.rs` and `schema.sql`.
    pub fn new(features: &str, schema: &str) -> Self {
        let features = features
            .lines()
            .filter_map(|it| it.strip_prefix("pub mod ")?.strip_suffix(';'))
            .map(str::to_owned)
            .collect();
        let (mut owners, mut owner) = (BTreeMap::new(), String::new());
        for line in schema.lines() {
            if let Some(name) = line.strip_prefix("-- == ") {
                name.trim().clone_into(&mut owner);
            } else if let Some(rest) = line.strip_prefix("create table ") {
                let table = words(rest).next().unwrap_or_default().to_owned();
                owners.insert(table, owner.clone());
            }
        }
        Self { features, owners }
    }

    fn place(&self, feature: &str) -> Option<usize> {
        self.features.iter().position(|it| it == feature)
    }
}

/// Most lines of a source file.
const MOST_LINES: usize = 400;

/// Every file says in its first line what it is.
pub fn header(source: &Source<'_>, _: &Shape) -> Vec<String> {
    let first = source.text.lines().next().unwrap_or_default();
    let said = first.strip_prefix("//! ").is_some_and(|it| it.len() > 10);
    if said { Vec::new() } else { vec!["does not begin with `//! ` and what it is".to_owned()] }
}

/// Files stay short enough to be read in one go.
pub fn length(source: &Source<'_>, _: &Shape) -> Vec<String> {
    match source.text.lines().count() {
        lines if lines > MOST_LINES => vec![format!("has {lines} lines, more than {MOST_LINES}")],
        _ => Vec::new(),
    }
}

/// Arrows point down: entry, then features in their order, then charts and platform.
pub fn tiers(source: &Source<'_>, shape: &Shape) -> Vec<String> {
    let Some(from) = module(source.path) else { return Vec::new() };
    let own = from.first().map(String::as_str).unwrap_or_default();
    let mut complaints = Vec::new();
    for target in targets(&source.code, &from) {
        let to = target.first().map(String::as_str).unwrap_or_default();
        let feature = |path: &[String]| path.get(1).cloned().unwrap_or_default();
        let allowed = match own {
            "charts" | "platform" => to == own,
            "features" if to == "features" => {
                let (from, to) = (feature(&from), feature(&target));
                match (shape.place(&from), shape.place(&to)) {
                    (Some(from), Some(to)) => to <= from,
                    // `features` itself, which lists them.
                    _ => from.is_empty(),
                }
            }
            "features" => matches!(to, "charts" | "platform"),
            "routes" | "tasks" => matches!(to, "features" | "charts" | "platform") || to == own,
            _ => true,
        };
        if !allowed {
            complaints.push(format!("uses {}", target.join("::")));
        }
    }
    complaints
}

/// Rules and stored things know nothing of who asks.
pub fn layers(source: &Source<'_>, _: &Shape) -> Vec<String> {
    let name = source.path.rsplit('/').next().unwrap_or_default();
    if !source.path.starts_with("src/features/") || !matches!(name, "rules.rs" | "store.rs") {
        return Vec::new();
    }
    let upper = ["super::http", "super::actions", "platform::http"];
    let found = upper.iter().filter(|it| source.program().contains(**it));
    found.map(|it| format!("uses {it}, which is above it")).collect()
}

/// One `use crate::…` a line and no globs, so that these rules see every arrow.
pub fn imports(source: &Source<'_>, _: &Shape) -> Vec<String> {
    let mut complaints = Vec::new();
    for line in source.code.lines().map(str::trim) {
        let Some(path) = line.trim_start_matches("pub ").strip_prefix("use ") else { continue };
        if path.starts_with("crate::{") {
            complaints.push(format!("groups modules: {line}"));
        }
        if path.ends_with("::*;") && path != "super::*;" {
            complaints.push(format!("takes everything: {line}"));
        }
    }
    complaints
}

/// A table is written by its owner only.
pub fn ownership(source: &Source<'_>, shape: &Shape) -> Vec<String> {
    let Some(module) = module(source.path) else { return Vec::new() };
    let own = match module.first().map(String::as_str) {
        Some("features") => module.get(1).cloned().unwrap_or_default(),
        Some(tier) => tier.to_owned(),
        None => return Vec::new(),
    };
    let mut complaints = Vec::new();
    for table in source.strings.iter().filter(|it| is_sql(it)).flat_map(|it| written(it)) {
        match shape.owners.get(&table) {
            Some(owner) if *owner != own => {
                complaints.push(format!("writes table {table}, which belongs to {owner}"));
            }
            _ => {}
        }
    }
    complaints
}

/// SQL stands in `store.rs` files and in the platform.
pub fn sql_place(source: &Source<'_>, _: &Shape) -> Vec<String> {
    let stored = source.path.ends_with("/store.rs") || source.path.contains("/store/");
    if !source.path.starts_with("src/") || source.path.starts_with("src/platform/") || stored {
        return Vec::new();
    }
    let sql = source.strings.iter().filter(|it| is_sql(it));
    sql.map(|it| format!("has SQL: {}", it.lines().next().unwrap_or_default())).collect()
}

/// Neither clock nor chance in SQL, so that another machine could replay it.
pub fn sql_replay(source: &Source<'_>, _: &Shape) -> Vec<String> {
    source.strings.iter().filter(|it| is_sql(it)).flat_map(|it| unrepeatable(it)).collect()
}

/// Clock and chance in a piece of SQL.
pub fn unrepeatable(sql: &str) -> Vec<String> {
    let sql = sql.to_lowercase();
    let words: Vec<&str> = words(&sql).collect();
    let forbidden = [
        "current_timestamp",
        "current_time",
        "current_date",
        "datetime",
        "julianday",
        "unixepoch",
        "strftime",
        "random",
        "randomblob",
        "last_insert_rowid",
    ];
    let found = forbidden.iter().filter(|it| words.contains(it));
    found.map(|it| format!("SQL uses {it}")).collect()
}

/// `async` ends at the socket.
pub fn asynchronous(source: &Source<'_>, _: &Shape) -> Vec<String> {
    if !source.path.starts_with("src/") || source.path == "src/platform/http/server.rs" {
        return Vec::new();
    }
    let found = source.words().filter(|it| matches!(*it, "async" | "await"));
    found.map(|it| format!("has `{it}`")).take(1).collect()
}

/// What can fail says so.
pub fn unwraps(source: &Source<'_>, _: &Shape) -> Vec<String> {
    let found = source.path.starts_with("src/") && source.program().contains(".unwrap()");
    if found { vec!["has `.unwrap()`".to_owned()] } else { Vec::new() }
}

/// The clock is read in one place.
pub fn clock(source: &Source<'_>, _: &Shape) -> Vec<String> {
    if !source.path.starts_with("src/") || source.path == "src/platform/time.rs" {
        return Vec::new();
    }
    let readers = ["SystemTime::now", "Zoned::now", "jiff::Timestamp::now", "Utc::now", "now_v7"];
    let found = readers.iter().filter(|it| source.program().contains(**it));
    found.map(|it| format!("reads the clock: {it}")).collect()
}

/// Names that say nothing.
pub fn names(source: &Source<'_>, _: &Shape) -> Vec<String> {
    let empty = ["utils", "util", "helpers", "helper", "common", "manager", "service", "misc"];
    let parts = source.path.trim_end_matches(".rs").split('/');
    parts.filter(|it| empty.contains(it)).map(|it| format!("is called `{it}`")).collect()
}

/// The module of a file of the program: `src/features/me/http.rs` is `features`, `me`, `http`.
fn module(path: &str) -> Option<Vec<String>> {
    let path = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    Some(path.split('/').map(str::to_owned).collect())
}

/// Where the code's paths of ours lead: those that begin with `crate` or climb with `super`.
fn targets(code: &str, from: &[String]) -> Vec<Vec<String>> {
    let mut found = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        if !code[..start].ends_with(|it: char| it.is_alphanumeric() || it == '_' || it == '$') {
            found.push(path_at(&code[start + "crate::".len()..]));
        }
    }
    for (start, _) in code.match_indices("super::super::") {
        if code[..start].ends_with("super::") {
            continue;
        }
        let mut rest = &code[start..];
        let mut module = from.to_vec();
        while let Some(after) = rest.strip_prefix("super::") {
            rest = after;
            module.pop();
        }
        module.extend(path_at(rest));
        found.push(module);
    }
    found
}

fn path_at(code: &str) -> Vec<String> {
    let end = code.find(|it: char| !it.is_alphanumeric() && it != '_' && it != ':');
    let path = &code[..end.unwrap_or(code.len())];
    path.split("::").filter(|it| !it.is_empty()).map(str::to_owned).collect()
}

/// Whether a text is SQL, by how it begins and goes on.
fn is_sql(text: &str) -> bool {
    let lower = text.trim_start().to_lowercase();
    let words: Vec<&str> = words(&lower).collect();
    let has = |word: &str| words.contains(&word);
    match (words.first().copied().unwrap_or_default(), words.get(1).copied()) {
        ("select", Some(_)) => has("from") || lower.contains('('),
        ("insert", Some("into" | "or")) | ("replace", Some("into")) => true,
        ("update", Some(_)) => has("set"),
        ("delete", Some("from")) => true,
        ("with", Some(_)) => has("select") && has("as"),
        ("create" | "drop" | "alter", Some("table" | "index" | "unique" | "view" | "trigger")) => {
            true
        }
        ("pragma", Some(_)) => true,
        ("begin", Some("immediate" | "exclusive" | "deferred")) => true,
        _ => false,
    }
}

/// The tables that a piece of SQL changes.
fn written(sql: &str) -> Vec<String> {
    let lower = sql.to_lowercase();
    let words: Vec<&str> = words(&lower).collect();
    let mut tables = Vec::new();
    for start in 0..words.len() {
        let table = match &words[start..] {
            ["insert" | "replace", "into", table, ..]
            | ["insert", "or", _, "into", table, ..]
            | ["delete", "from", table, ..]
            | ["update", "or", _, table, "set", ..]
            | ["update", table, "set", ..] => table,
            _ => continue,
        };
        tables.push((*table).to_owned());
    }
    tables
}
