//! Rules about the structure and the wording of the source. Each rule is a function from a source
//! file to complaints.

use std::collections::BTreeMap;

use super::source::Source;
use super::source::words;

/// Returns the complaints about one file.
pub type Rule = fn(&Source<'_>, &RepositoryLayout) -> Vec<String>;

/// Facts about the repository that the rules need.
pub struct RepositoryLayout {
    /// Features in the order of `features/mod.rs`.
    pub features: Vec<String>,
    /// Owner of each table: `platform` or a feature.
    pub owners: BTreeMap<String, String>,
}

impl RepositoryLayout {
    /// Parses `src/features/mod.rs` and `schema.sql`.
    pub fn new(features: &str, schema: &str) -> Self {
        let features = features
            .lines()
            .filter_map(|line| line.strip_prefix("pub mod ")?.strip_suffix(';'))
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

    /// Returns the position of a feature in `features/mod.rs`.
    fn feature_index(&self, feature: &str) -> Option<usize> {
        self.features.iter().position(|name| name == feature)
    }
}

/// Checks that the first line of a file is a `//!` comment that describes it.
pub fn check_header(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    let first = source.text.lines().next().unwrap_or_default();
    let has_header = first.strip_prefix("//! ").is_some_and(|title| title.len() > 10);
    match has_header {
        true => Vec::new(),
        false => vec!["does not start with `//! ` and a sentence that says what it is".to_owned()],
    }
}

/// Checks the order of modules in the root package: a feature uses only features above it in
/// `features/mod.rs`, and nothing of the entry modules. Cargo checks the order of the packages.
pub fn check_module_order(source: &Source<'_>, layout: &RepositoryLayout) -> Vec<String> {
    let Some(from) = module_path(source.path) else { return Vec::new() };
    let own = from.first().map(String::as_str).unwrap_or_default();
    let mut complaints = Vec::new();
    for target in crate_paths(&source.code, &from) {
        let to = target.first().map(String::as_str).unwrap_or_default();
        let feature = |path: &[String]| path.get(1).cloned().unwrap_or_default();
        let is_allowed = match own {
            // Separate packages.
            "charts" | "platform" => true,
            "app" => to == own,
            "features" if to == "features" => {
                let (from, to) = (feature(&from), feature(&target));
                match (layout.feature_index(&from), layout.feature_index(&to)) {
                    (Some(from), Some(to)) => to <= from,
                    // `features/mod.rs` itself, which lists them.
                    _ => from.is_empty(),
                }
            }
            "features" => to == "app",
            "routes" | "tasks" => matches!(to, "app" | "features") || to == own,
            _ => true,
        };
        if !is_allowed {
            complaints.push(format!("uses {}", target.join("::")));
        }
    }
    complaints
}

/// Checks the layers inside a feature: `rules` and `store` use nothing above them, `http` and
/// `tasks` use `actions` and never `store`.
pub fn check_layers(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    let Some(path) = source.path.strip_prefix("src/features/") else { return Vec::new() };
    let is_layer = |name: &str| {
        path.split('/').any(|layer| layer.strip_suffix(".rs").unwrap_or(layer) == name)
    };
    let forbidden: &[&str] = if is_layer("rules") || is_layer("store") {
        &["super::http", "super::actions", "platform::http"]
    } else if is_layer("http") || is_layer("tasks") {
        &["store::", "::store;"]
    } else {
        &[]
    };
    let found = forbidden.iter().filter(|path| source.code_without_tests().contains(**path));
    found.map(|path| format!("uses {path}, which belongs to another layer")).collect()
}

/// Words that the language guide forbids in comments and texts, because a reader must not have to
/// search for the person that a pronoun refers to, or know an idiom.
const FORBIDDEN_WORDS: [&str; 10] =
    ["he", "his", "him", "himself", "whose", "whom", "whoever", "whomever", "whatsoever", "anew"];

/// Checks the wording of comments and string literals, and the names of limits.
pub fn check_language(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    let mut complaints = Vec::new();
    for comment in &source.comments {
        let text = comment.trim_start_matches(['/', '!']).trim_start();
        complaints.extend(find_forbidden_words(text));
        let is_doc = comment.starts_with("///") || comment.starts_with("//!");
        if is_doc && (text.starts_with("What ") || text.starts_with("Who ")) {
            complaints.push(format!("a sentence starts with a free relative clause: {text}"));
        }
    }
    // A text of two letters is a code, such as that of Hebrew.
    for text in source.strings.iter().filter(|text| text.len() > 2) {
        complaints.extend(find_forbidden_words(text));
    }
    let words: Vec<&str> = source.words().collect();
    for pair in words.windows(2) {
        let is_vague =
            |prefix: &&str| pair[1] == *prefix || pair[1].starts_with(&format!("{prefix}_"));
        if matches!(pair[0], "const" | "static")
            && ["MOST", "LONGEST", "LARGEST"].iter().any(is_vague)
        {
            complaints.push(format!("the limit {} is not called MAX_…", pair[1]));
        }
    }
    complaints
}

/// Returns a complaint for each forbidden word in a text.
pub fn find_forbidden_words(text: &str) -> Vec<String> {
    let words = text.split(|character: char| {
        !character.is_alphanumeric() && character != '_' && character != '-'
    });
    let found = words.filter(|word| FORBIDDEN_WORDS.contains(&word.to_lowercase().as_str()));
    found.map(|word| format!("says `{word}`: {}", text.trim())).collect()
}

/// Checks that a line has one `use crate::…` and no glob, because the other rules read these lines.
pub fn check_imports(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    let mut complaints = Vec::new();
    for line in source.code.lines().map(str::trim) {
        let Some(path) = line.trim_start_matches("pub ").strip_prefix("use ") else { continue };
        if path.starts_with("crate::{") {
            complaints.push(format!("groups modules: {line}"));
        }
        if path.ends_with("::*;") && path != "super::*;" {
            complaints.push(format!("is a glob: {line}"));
        }
    }
    complaints
}

/// Checks that only its owner writes a table.
pub fn check_table_owners(source: &Source<'_>, layout: &RepositoryLayout) -> Vec<String> {
    let Some(module) = module_path(source.path) else { return Vec::new() };
    let own = match module.first().map(String::as_str) {
        Some("features") => module.get(1).cloned().unwrap_or_default(),
        Some(tier) => tier.to_owned(),
        None => return Vec::new(),
    };
    let mut complaints = Vec::new();
    for table in
        source.strings.iter().filter(|text| is_sql(text)).flat_map(|text| changed_tables(text))
    {
        match layout.owners.get(&table) {
            Some(owner) if *owner != own => {
                complaints.push(format!("writes table {table}, which belongs to {owner}"));
            }
            _ => {}
        }
    }
    complaints
}

/// Checks that SQL is in `store` modules and in the platform only.
pub fn check_sql_location(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    let is_store_module = source.path.ends_with("/store.rs") || source.path.contains("/store/");
    if !source.path.starts_with("src/")
        || source.path.starts_with("src/platform/")
        || is_store_module
    {
        return Vec::new();
    }
    let sql = source.strings.iter().filter(|text| is_sql(text));
    sql.map(|text| format!("has SQL: {}", text.lines().next().unwrap_or_default())).collect()
}

/// Checks that SQL has no clock and no random number, because another node must be able to replay
/// it.
pub fn check_sql_determinism(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    source
        .strings
        .iter()
        .filter(|text| is_sql(text))
        .flat_map(|text| find_nondeterminism(text))
        .collect()
}

/// Returns a complaint for each use of the clock or of random numbers in SQL.
pub fn find_nondeterminism(sql: &str) -> Vec<String> {
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
    let found = forbidden.iter().filter(|word| words.contains(word));
    found.map(|word| format!("SQL uses {word}")).collect()
}

/// Checks that only the server file and its part for requests are asynchronous.
pub fn check_async(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    let async_files = ["src/platform/http/server.rs", "src/platform/http/server/requests.rs"];
    if !source.path.starts_with("src/") || async_files.contains(&source.path) {
        return Vec::new();
    }
    let found = source.words().filter(|word| matches!(*word, "async" | "await"));
    found.map(|word| format!("has `{word}`")).take(1).collect()
}

/// Checks that code outside tests does not call `unwrap`.
pub fn check_unwraps(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    let is_test = source.path.starts_with("src/cloud/tests/");
    let found = source.path.starts_with("src/")
        && !is_test
        && source.code_without_tests().contains(".unwrap()");
    if found { vec!["has `.unwrap()`".to_owned()] } else { Vec::new() }
}

/// Checks that one file reads the clock.
pub fn check_clock(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    if !source.path.starts_with("src/") || source.path == "src/platform/time.rs" {
        return Vec::new();
    }
    let clock_functions = ["SystemTime::now", "OffsetDateTime::now", "Utc::now", "now_v7"];
    let found =
        clock_functions.iter().filter(|pattern| source.code_without_tests().contains(**pattern));
    found.map(|pattern| format!("reads the clock: {pattern}")).collect()
}

/// Checks for file names without content.
pub fn check_file_names(source: &Source<'_>, _: &RepositoryLayout) -> Vec<String> {
    let vague_names =
        ["utils", "util", "helpers", "helper", "common", "manager", "service", "misc"];
    let parts = source.path.trim_end_matches(".rs").split('/');
    parts
        .filter(|part| vague_names.contains(part))
        .map(|part| format!("is called `{part}`"))
        .collect()
}

/// Returns the module path of a file: `features`, `me`, `http` for `src/features/me/http.rs`.
fn module_path(path: &str) -> Option<Vec<String>> {
    let path = path.strip_prefix("src/")?.strip_suffix(".rs")?;
    let path = path.strip_suffix("/mod").unwrap_or(path);
    Some(path.split('/').map(str::to_owned).collect())
}

/// Returns the targets of the paths that start with `crate` or with two `super`.
fn crate_paths(code: &str, from: &[String]) -> Vec<Vec<String>> {
    let mut paths = Vec::new();
    for (start, _) in code.match_indices("crate::") {
        if !code[..start].ends_with(|character: char| {
            character.is_alphanumeric() || character == '_' || character == '$'
        }) {
            paths.push(path_at(&code[start + "crate::".len()..]));
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
        paths.push(module);
    }
    paths
}

/// Returns the path at the start of `code`.
fn path_at(code: &str) -> Vec<String> {
    let end = code.find(|character: char| {
        !character.is_alphanumeric() && character != '_' && character != ':'
    });
    let path = &code[..end.unwrap_or(code.len())];
    path.split("::").filter(|segment| !segment.is_empty()).map(str::to_owned).collect()
}

/// Returns whether a text is SQL, judged by its first words.
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

/// Returns the tables that a statement changes.
fn changed_tables(sql: &str) -> Vec<String> {
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
