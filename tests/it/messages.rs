//! Tests of the German messages: each one belongs to an English message of the sources, and each
//! message that the sources pass directly to an error has a German one.

mod tokens;

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;
use tokens::Token;
use tokens::tokenize;

use crate::tidy::source::Source;

/// Folder with the German messages, one file per area.
const FOLDER: &str = "assets/web/i18n/de/messages";
/// Folders of the sources with errors that must have a German message.
const TRANSLATED_FOLDERS: [&str; 2] = ["src/features", "src/platform/http"];
/// Folder in one of them with errors in English only, because programs and administrators of identity
/// providers read them.
const ENGLISH_FOLDER: &str = "src/features/scim/";
/// Variants of `Error` with the message as their only value.
const VARIANTS: [&str; 9] = [
    "Invalid",
    "SignInRequired",
    "PaymentRequired",
    "Forbidden",
    "Conflict",
    "TooLarge",
    "UnsupportedMediaType",
    "RemoteRefused",
    "QuotaExceeded",
];

/// Shapes of messages that the sources compose from several literals, and the source that does so.
///
/// A `*` stands for the shape of one literal in any source.
const COMPOSED: &Remarks<'static> = &[
    ("no such *", "src/platform/error.rs"),
    ("must be *", "src/features/portfolio/settings.rs"),
    ("this needs the role *", "src/features/orgs/actions.rs"),
    ("{} still owns *: move or delete them first", "src/features/accounts/actions.rs"),
    (
        "the folder has more than *; copy its parts separately",
        "src/features/folders/actions/copy.rs",
    ),
    (
        "* for a table; read the document as JSON instead",
        "src/features/documents/data_export/mod.rs",
    ),
    ("the SVG *", "src/features/orgs/assets/content.rs"),
    ("is damaged or not complete: *", "src/features/table_reader/limits.rs"),
    ("*.", "src/charts/omissions.rs"),
    ("* {}.", "src/charts/omissions.rs"),
    ("* {} ({}).", "src/charts/omissions.rs"),
    ("Not shown: {} *.", "src/charts/omissions.rs"),
    ("Not shown: {} * ({}).", "src/charts/omissions.rs"),
    ("“{}” in column “{}”, record {}, *.", "src/charts/number_columns.rs"),
    (
        "“{}” in column “{}”, record {}, *. The column has another such text.",
        "src/charts/number_columns.rs",
    ),
    (
        "“{}” in column “{}”, record {}, *. The column has {} more such texts.",
        "src/charts/number_columns.rs",
    ),
    ("“{}” in column “{}” is read as {}.", "src/charts/number_columns.rs"),
    ("“{}” in column “{}”, record {}, is not a duration.", "src/charts/durations.rs"),
    (
        "“{}” in column “{}”, record {}, is not a color, so that the palette is used.",
        "src/charts/color_names.rs",
    ),
    (
        "“{}” in column “{}”, record {}, is not a color, so that the palette is used. The column \
         has another such text.",
        "src/charts/color_names.rs",
    ),
    (
        "“{}” in column “{}”, record {}, is not a color, so that the palette is used. The column \
         has {} more such texts.",
        "src/charts/color_names.rs",
    ),
    ("The canvas has no space for {} *.", "src/charts/tiles.rs"),
    ("The canvas has no space for {} *s.", "src/charts/tiles.rs"),
    ("*: {}. The map shows the first value of each.", "src/charts/kinds/choropleth/regions.rs"),
    (
        "*: {} and {} more. The map shows the first value of each.",
        "src/charts/kinds/choropleth/regions.rs",
    ),
    (
        "The places can also be regions of {}. The setting map decides.",
        "src/charts/kinds/choropleth/regions.rs",
    ),
    (
        "The places can also be regions of {} or another country. The setting map decides.",
        "src/charts/kinds/choropleth/regions.rs",
    ),
    ("{} can mean {} or {}.", "src/charts/kinds/choropleth/regions.rs"),
    ("Groups shown as \"{}\": {}.", "src/charts/kinds/scatter/groups.rs"),
    ("Groups shown as \"{}\": {} and {} more.", "src/charts/kinds/scatter/groups.rs"),
    (
        "Several records are on the same day; the * of each day is shown.",
        "src/charts/kinds/calendar_heat_map/days.rs",
    ),
    (
        "* ({}). The package {} of Debian and Ubuntu has a font for them; a font file in the \
         folder \"fonts\" of the data directory works as well.",
        "src/charts/scene/mod.rs",
    ),
];

/// Direct messages of errors that stay English, and the reason.
const ENGLISH_ONLY: &Remarks<'static> = &[
    ("cannot listen on {address}: {error}", "for the operator who starts the server"),
    ("is required if tls_cert is set", "for the operator who starts the server"),
    ("is required if tls_key is set", "for the operator who starts the server"),
    ("{}: {error}", "for the operator who starts the server: a file with a key or certificate"),
];

/// Returns the names in braces, in their order.
fn placeholders(message: &str) -> Vec<&str> {
    let parts = message.split('{').skip(1);
    parts.filter_map(|rest| Some(rest.split_once('}')?.0)).collect()
}

/// Returns a message with `{}` for each placeholder, and with quotation marks around one that the
/// source formats with `:?`.
fn shape(message: &str) -> String {
    let mut shape = String::new();
    let mut rest = message;
    while let Some((before, after)) = rest.split_once('{') {
        shape.push_str(before);
        let Some((name, end)) = after.split_once('}') else { break };
        shape.push_str(if name.ends_with(":?") { "\"{}\"" } else { "{}" });
        rest = end;
    }
    shape + rest
}

/// Messages or their shapes, each with a remark: the file that composes it, or a reason.
type Remarks<'a> = [(&'a str, &'a str)];

/// German messages by their English ones.
type Messages = BTreeMap<String, String>;

/// Reads the content of the files of all areas, and adds a problem for each rule that they break.
fn read_messages(files: &[(String, String)], problems: &mut Vec<String>) -> Messages {
    let mut all = Messages::new();
    for (file, content) in files {
        let messages: Messages = match serde_json::from_str(content) {
            Ok(messages) => messages,
            Err(error) => {
                problems.push(format!("{file}: {error}"));
                continue;
            }
        };
        // Parsing keeps only one of several equal keys.
        if serde_json::to_string_pretty(&messages).unwrap() != content.trim_end() {
            problems.push(format!("{file} is not sorted, not formatted, or has a key twice"));
        }
        for (english, german) in messages {
            check_message(&english, &german, problems);
            if all.contains_key(&english) {
                problems.push(format!("{english:?} is in two files"));
            }
            all.insert(english, german);
        }
    }
    all
}

/// Checks that both messages have text and the same placeholders, each once.
fn check_message(english: &str, german: &str, problems: &mut Vec<String>) {
    if english.trim().is_empty() || german.trim().is_empty() {
        problems.push(format!("{english:?} is empty in one language"));
    }
    let (mut ours, mut theirs) = (placeholders(english), placeholders(german));
    ours.sort_unstable();
    theirs.sort_unstable();
    if ours != theirs {
        problems.push(format!("{english:?} has other placeholders in German"));
    }
    if ours.windows(2).any(|pair| pair[0] == pair[1]) || ours.contains(&"") {
        problems.push(format!("{english:?} has a placeholder twice or without a name"));
    }
}

/// Returns the shapes of all literals of the sources.
fn list_shapes(sources: &[Vec<Token<'_>>]) -> BTreeSet<String> {
    let shapes = sources.iter().flatten().filter_map(|token| match token {
        Token::Literal(text) => Some(shape(text)),
        _ => None,
    });
    shapes.collect()
}

/// Returns whether a shape is that of a composed message: the text around `*` is equal, and the
/// text in its place is one of `shapes`.
fn is_composed(shape: &str, composed: &str, shapes: &BTreeSet<String>) -> bool {
    match composed.split_once('*') {
        None => shape == composed,
        Some((start, end)) => shape
            .strip_prefix(start)
            .and_then(|rest| rest.strip_suffix(end))
            .is_some_and(|part| shapes.contains(part)),
    }
}

/// Checks that each English message occurs in the sources, or is one of `composed`, which all
/// occur.
fn check_origins(
    messages: &Messages,
    composed: &Remarks<'_>,
    shapes: &BTreeSet<String>,
    problems: &mut Vec<String>,
) {
    let mut used = BTreeSet::new();
    for english in messages.keys() {
        let own = shape(english);
        if shapes.contains(&own) {
            continue;
        }
        let found = composed.iter().filter(|(text, _)| is_composed(&own, text, shapes));
        let found: Vec<&str> = found.map(|(text, _)| *text).collect();
        if found.is_empty() {
            problems.push(format!("{english:?} is in no source"));
        }
        used.extend(found);
    }
    let unused = composed.iter().filter(|(text, _)| !used.contains(text));
    problems.extend(unused.map(|(text, _)| format!("{text:?} is composed for no message")));
}

/// Returns the literal at the start of the tokens, also within `format!(…)`. None for other tokens.
fn direct_literal<'a>(tokens: &'a [Token<'_>]) -> Option<&'a str> {
    match tokens {
        [Token::Literal(text), ..]
        | [Token::Word("format"), Token::Mark('!'), Token::Mark('('), Token::Literal(text), ..] => {
            Some(text)
        }
        _ => None,
    }
}

/// Returns the tokens after the first comma that is in no brackets.
fn after_first_argument<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let mut depth = 0_i32;
    for (index, token) in tokens.iter().enumerate() {
        match token {
            Token::Mark('(' | '[' | '{') => depth += 1,
            Token::Mark(')' | ']' | '}') => depth -= 1,
            Token::Mark(',') if depth == 0 => return &tokens[index + 1..],
            _ => {}
        }
        if depth < 0 {
            break;
        }
    }
    &[]
}

/// Returns the tokens after `message:` in the fields of a struct. Empty if it has no such field.
fn message_field<'a, 'b>(tokens: &'a [Token<'b>]) -> &'a [Token<'b>] {
    let mut rest = tokens;
    while !rest.is_empty() {
        if let [Token::Word("message"), Token::Mark(':'), value @ ..] = rest {
            return value;
        }
        rest = after_first_argument(rest);
    }
    &[]
}

/// Returns the messages that a source passes directly to an error, as they reach people.
fn list_direct_messages(tokens: &[Token<'_>]) -> Vec<String> {
    let mut found = Vec::new();
    for start in 0..tokens.len() {
        let message = match &tokens[start..] {
            [Token::Mark(':'), Token::Word(name), Token::Mark('('), value @ ..]
                if VARIANTS.contains(name) =>
            {
                direct_literal(value).map(str::to_owned)
            }
            [Token::Word("invalid_field" | "field_conflict"), Token::Mark('('), value @ ..] => {
                direct_literal(after_first_argument(value)).map(str::to_owned)
            }
            [Token::Word("FieldError"), Token::Mark('{'), fields @ ..] => {
                direct_literal(message_field(fields)).map(str::to_owned)
            }
            [Token::Word("NotFound" | "or_not_found"), Token::Mark('('), value @ ..] => {
                direct_literal(value).map(|object_kind| format!("no such {object_kind}"))
            }
            _ => None,
        };
        found.extend(message);
    }
    found
}

/// Checks that each direct message of an error has a German one, is composed or is one of
/// `english_only`, which all occur.
fn check_completeness(
    sources: &[Vec<Token<'_>>],
    messages: &Messages,
    (composed, english_only): (&Remarks<'_>, &Remarks<'_>),
    problems: &mut Vec<String>,
) {
    let known: BTreeSet<String> = messages.keys().map(|english| shape(english)).collect();
    let composed: BTreeSet<String> =
        composed.iter().map(|(text, _)| text.replace('*', "{}")).collect();
    // A text with a capital letter is a sentence of a page, which belongs to the texts of pages.
    let is_message = |text: &String| !text.starts_with(char::is_uppercase);
    let direct = sources.iter().flat_map(|tokens| list_direct_messages(tokens));
    let missing: BTreeSet<String> = direct
        .filter(is_message)
        .filter(|text| !known.contains(&shape(text)) && !composed.contains(&shape(text)))
        .collect();
    let is_excepted = |text: &str| english_only.iter().any(|(excepted, _)| *excepted == text);
    let lacking = missing.iter().filter(|text| !is_excepted(text));
    problems.extend(lacking.map(|text| format!("{text:?} has no German message")));
    let unused = english_only.iter().filter(|(text, _)| !missing.contains(*text));
    problems.extend(unused.map(|(text, _)| format!("{text:?} is excepted, but does not occur")));
}

/// Returns the files below a folder, sorted.
fn list_files(folder: &Path) -> Vec<PathBuf> {
    let Ok(entries) = fs::read_dir(folder) else { return Vec::new() };
    let mut files: Vec<PathBuf> = entries
        .map(|entry| entry.unwrap().path())
        .flat_map(|path| if path.is_dir() { list_files(&path) } else { vec![path] })
        .collect();
    files.sort();
    files
}

/// Reads the Rust sources of the program with their paths relative to `root`.
fn read_sources(root: &Path) -> Vec<(String, String)> {
    let is_source = |path: &PathBuf| path.extension().is_some_and(|ending| ending == "rs");
    let read = |path: PathBuf| {
        let name = path.strip_prefix(root).unwrap().to_string_lossy().into_owned();
        (name, fs::read_to_string(path).unwrap())
    };
    list_files(&root.join("src")).into_iter().filter(is_source).map(read).collect()
}

#[test]
fn german_messages_belong_to_the_messages_of_the_sources() {
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or_else(PathBuf::new, PathBuf::from);
    let read_file = |path: PathBuf| {
        let area = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
        (area, fs::read_to_string(path).unwrap())
    };
    let files: Vec<_> = list_files(&root.join(FOLDER)).into_iter().map(read_file).collect();
    let mut problems = Vec::new();
    let messages = read_messages(&files, &mut problems);
    assert!(messages.len() > 500, "there are {} messages", messages.len());
    let files = read_sources(&root);
    let sources: Vec<_> = files.iter().map(|(path, text)| Source::new(path, text)).collect();
    let (translated, others): (Vec<_>, Vec<_>) = sources.iter().partition(|source| {
        TRANSLATED_FOLDERS.iter().any(|folder| source.path.starts_with(folder))
            && !source.path.starts_with(ENGLISH_FOLDER)
    });
    let translated: Vec<_> = translated.into_iter().map(tokenize).collect();
    let others: Vec<_> = others.into_iter().map(tokenize).collect();
    let mut shapes = list_shapes(&translated);
    shapes.extend(list_shapes(&others));
    check_origins(&messages, COMPOSED, &shapes, &mut problems);
    let absent = COMPOSED.iter().filter(|(_, file)| !root.join(file).is_file());
    problems.extend(absent.map(|(text, file)| format!("{text:?}: there is no file {file}")));
    check_completeness(&translated, &messages, (COMPOSED, ENGLISH_ONLY), &mut problems);
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn each_planted_violation_is_found() {
    let area = |name: &str, content: &str| (name.to_owned(), content.to_owned());
    let files = [
        area("a.json", "{\n  \"all {n} of {n}\": \"{n} {n}\",\n  \"gone\": \"weg\"\n}\n"),
        area("b.json", "{\n  \"gone\": \"\",\n  \"is {size}\": \"{other}\"\n}\n"),
        area("c.json", "{\n  \"too big\": \"zu groß\",\n  \"too big\": \"zu groß\"\n}\n"),
        area("d.json", "{"),
    ];
    let source = r#"
        Err(Error::Invalid(format!("all {} of {count}", 1)))
        Error::Forbidden("lacks one".to_owned()); Error::NotFound("moon")
        Error::invalid_field(format!("a[{}]", (1, 2)), "lacks two")
        FieldError { field: name(1, 2), message: format!("lacks {three}") }
        Error::Conflict(text); Error::Conflict("Page."); Error::TooLarge(format!("the {part} is known"))
        let is = ("is {size}", "big", "lacks four");
    "#;
    let source = Source::new("src/a.rs", source);
    let sources = [tokenize(&source)];
    let mut problems = Vec::new();
    let messages = read_messages(&files, &mut problems);
    let composed = [("too *", ""), ("the * is known", "")];
    check_origins(&messages, &composed, &list_shapes(&sources), &mut problems);
    check_completeness(&sources, &messages, (&composed, &[("lacks four", "")]), &mut problems);
    for want in [
        "\"all {n} of {n}\" has a placeholder twice",
        "\"gone\" is empty",
        "\"gone\" is in two files",
        "\"is {size}\" has other placeholders",
        "c.json is not sorted",
        "d.json: EOF",
        "\"gone\" is in no source",
        "\"the * is known\" is composed for no message",
        "\"lacks one\" has no German",
        "\"no such moon\" has no German",
        "\"lacks two\" has no German",
        "\"lacks {three}\" has no German",
        "\"lacks four\" is excepted",
    ] {
        assert_eq!(problems.iter().filter(|text| text.contains(want)).count(), 1, "{want}");
    }
    assert_eq!(problems.len(), 13, "{problems:#?}");
}

#[test]
fn the_page_recognizes_the_warning_about_missing_data_in_each_language() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let read = |path: &str| -> Value {
        serde_json::from_str(&fs::read_to_string(root.join(path)).unwrap()).unwrap()
    };
    let german = read("assets/web/i18n/de/messages/charts.json");
    let english = "No record holds a value that this kind of chart can draw.";
    for (language, warning) in [("en", english), ("de", german[english].as_str().unwrap())] {
        let texts = read(&format!("assets/web/i18n/{language}/scripts/chart-page.json"));
        let beginning = texts["noDataWarning"].as_str().unwrap();
        assert!(warning.starts_with(beginning), "{language}: {warning}");
    }
}
