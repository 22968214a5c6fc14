//! Tests of the German texts of chart kinds: they are complete, and responses contain them.

use std::collections::BTreeMap;
use std::collections::BTreeSet;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use serde_json::Value;
use serde_json::json;

use crate::test_server::TestServer;

/// Folder of the German texts.
const GERMAN_FOLDER: &str = "web/i18n/de/kinds";
/// Kinds with fewer than two German aliases, with the reason.
const FEW_ALIASES: [(&str, &str); 0] = [];

/// English texts of one kind.
type English = BTreeSet<String>;
/// German texts by the English ones.
type German = BTreeMap<String, String>;

/// Adds a text that needs a translation. Texts without letters are the same in all languages.
fn add(value: &Value, texts: &mut English) {
    let text = value.as_str().unwrap_or_default();
    if text.chars().any(char::is_alphabetic) {
        texts.insert(text.to_owned());
    }
}

/// Adds a text or all texts in a list or an object.
fn add_all(value: &Value, texts: &mut English) {
    match value {
        Value::Array(values) => values.iter().for_each(|value| add(value, texts)),
        Value::Object(values) => values.values().for_each(|value| add(value, texts)),
        value => add(value, texts),
    }
}

/// Adds the titles and descriptions in a schema of settings.
fn add_schema(schema: &Value, texts: &mut English) {
    add(&schema["title"], texts);
    add(&schema["description"], texts);
    for member in schema["properties"].as_object().into_iter().flat_map(|members| members.values())
    {
        add_schema(member, texts);
    }
    for member in [&schema["items"], &schema["additionalProperties"]] {
        if member.is_object() {
            add_schema(member, texts);
        }
    }
}

/// Adds the texts of hints.
fn add_hints(hints: &Value, texts: &mut English) {
    for hint in hints.as_object().into_iter().flat_map(|hints| hints.values()) {
        for name in ["help", "unit", "placeholder", "suggestions", "item_labels"] {
            add_all(&hint[name], texts);
        }
        let choices = hint["choices"].as_object().into_iter().flat_map(|choices| choices.values());
        choices.for_each(|choice| add(choice.get("label").unwrap_or(choice), texts));
        add_titles(&hint["formats"], texts);
    }
}

/// Adds the titles in a list of objects.
fn add_titles(list: &Value, texts: &mut English) {
    list.as_array().into_iter().flatten().for_each(|item| add(&item["title"], texts));
}

/// Returns the English texts of the kind in `kind.json`.
fn collect_english(kind: &Value) -> English {
    let mut texts = English::new();
    for name in ["title", "summary", "description", "categories", "tags"] {
        add_all(&kind[name], &mut texts);
    }
    for name in ["data_columns", "form"] {
        add_titles(&kind[name], &mut texts);
    }
    add_schema(&kind["settings_schema"], &mut texts);
    add_hints(&kind["ui"], &mut texts);
    texts
}

/// Reads a JSON file.
fn read_json(path: &Path) -> Value {
    let text =
        fs::read_to_string(path).unwrap_or_else(|error| panic!("{}: {error}", path.display()));
    serde_json::from_str(&text).unwrap_or_else(|error| panic!("{}: {error}", path.display()))
}

/// Returns the names of the entries of a folder, without `.json`.
fn list_names(folder: &Path) -> Vec<String> {
    let name = |entry: std::io::Result<fs::DirEntry>| {
        entry.unwrap().file_name().to_str().unwrap().trim_end_matches(".json").to_owned()
    };
    let mut names: Vec<String> = fs::read_dir(folder).unwrap().map(name).collect();
    names.sort();
    names
}

/// The English and the German texts in a folder of assets.
struct Texts {
    /// English texts by the slug of the kind.
    english: BTreeMap<String, English>,
    /// English texts of the hints that kinds share.
    shared: English,
    /// German texts by the name of the file.
    german: BTreeMap<String, German>,
    /// German aliases by the slug of the kind.
    aliases: BTreeMap<String, Vec<String>>,
}

impl Texts {
    /// Reads the texts below `assets`.
    fn read(assets: &Path) -> Self {
        let kinds = list_names(&assets.join("kinds")).into_iter().map(|slug| {
            let kind = read_json(&assets.join("kinds").join(&slug).join("kind.json"));
            (slug, collect_english(&kind))
        });
        let mut shared = English::new();
        add_hints(&read_json(&assets.join("setting_ui.json")), &mut shared);
        let folder = assets.join(GERMAN_FOLDER);
        let read = |name: &String| read_json(&folder.join(format!("{name}.json")));
        let names = list_names(&folder).into_iter().filter(|name| name != "aliases");
        let german = names.map(|name| (name.clone(), serde_json::from_value(read(&name)).unwrap()));
        Self {
            english: kinds.collect(),
            shared,
            german: german.collect(),
            aliases: serde_json::from_value(read(&"aliases".to_owned())).unwrap(),
        }
    }

    /// Returns the problems of the German texts.
    fn find_problems(&self) -> Vec<String> {
        let mut problems = self.find_missing();
        problems.extend(self.find_unused());
        for (name, texts) in &self.german {
            // A sentence remains a sentence.
            let differs = |(english, german): &(&String, &String)| {
                german.trim() != *german
                    || german.is_empty()
                    || english.ends_with('.') != german.ends_with('.')
            };
            let found = texts.iter().filter(differs);
            problems.extend(found.map(|(english, german)| {
                format!("{name}: {english:?} and {german:?} end in different ways")
            }));
        }
        problems.extend(self.find_alias_problems());
        problems
    }

    /// Returns a problem for each English text without a German one.
    fn find_missing(&self) -> Vec<String> {
        let none = German::new();
        let common = self.german.get("common").unwrap_or(&none);
        let mut problems = Vec::new();
        let shared = self.shared.iter().map(|text| ("setting_ui", text));
        let own = self
            .english
            .iter()
            .flat_map(|(slug, texts)| texts.iter().map(move |text| (slug.as_str(), text)));
        for (slug, text) in own.chain(shared) {
            let is_own = self.german.get(slug).is_some_and(|texts| texts.contains_key(text));
            if !is_own && !common.contains_key(text) {
                problems.push(format!("{slug}: {text:?} has no German text"));
            }
        }
        problems
    }

    /// Returns a problem for each German text that no kind uses.
    fn find_unused(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for (name, texts) in &self.german {
            let is_used = |text: &String| {
                let own =
                    |slug: &str| self.german.get(slug).is_some_and(|own| own.contains_key(text));
                let uses =
                    |slug: &str| self.english.get(slug).is_some_and(|texts| texts.contains(text));
                match name.as_str() {
                    "common" => {
                        self.shared.contains(text)
                            || self.english.keys().any(|slug| uses(slug) && !own(slug))
                    }
                    slug => {
                        uses(slug) || self.english.contains_key(slug) && self.shared.contains(text)
                    }
                }
            };
            let unused = texts.keys().filter(|text| !is_used(text));
            problems.extend(unused.map(|text| format!("{name}: {text:?} is not used")));
        }
        problems
    }

    /// Returns a problem for each kind with too few aliases, and for each list without a kind.
    fn find_alias_problems(&self) -> Vec<String> {
        let mut problems = Vec::new();
        for slug in self.english.keys() {
            let own = self.aliases.get(slug).map(Vec::as_slice).unwrap_or_default();
            let different: BTreeSet<String> = own.iter().map(|name| name.to_lowercase()).collect();
            let may_have_few = FEW_ALIASES.iter().any(|(known, _)| known == slug);
            if different.len() < own.len() || different.len() < 2 && !may_have_few {
                problems.push(format!("{slug}: the German aliases are {own:?}"));
            }
        }
        let unknown = self.aliases.keys().filter(|slug| !self.english.contains_key(*slug));
        problems.extend(unknown.map(|slug| format!("{slug} has aliases, but is no kind")));
        problems
    }
}

#[test]
fn every_text_of_every_kind_has_a_german_text_and_none_is_unused() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    let root = std::env::var_os("CARGO_MANIFEST_DIR").map_or(root.to_owned(), PathBuf::from);
    let texts = Texts::read(&root.join("assets"));
    let count: usize = texts.english.values().map(BTreeSet::len).sum();
    assert!(texts.english.len() > 60 && count > 3000, "{count} texts");
    let problems = texts.find_problems();
    assert!(problems.is_empty(), "\n{}\n", problems.join("\n"));
}

#[test]
fn each_planted_problem_is_found() {
    let folder = tempfile::tempdir().unwrap();
    let write = |path: &str, value: Value| {
        let path = folder.path().join(path);
        fs::create_dir_all(path.parent().unwrap()).unwrap();
        fs::write(path, value.to_string()).unwrap();
    };
    let kind = json!({
        "title": "A", "summary": "B", "description": "C.", "categories": ["D"], "tags": ["E"],
        "aliases": ["no text"], "data_columns": [{ "key": "k", "title": "F" }],
        "settings_schema": {
            "title": "A",
            "properties": {
                "title": { "title": "G", "description": "H" },
                "list": { "items": { "properties": { "x": { "title": "I" } } } },
                "any": { "additionalProperties": { "title": "J" }, "enum": ["no text"] },
            },
        },
        "form": [{ "title": "K", "settings": ["no text"] }],
        "ui": { "title": {
            "help": "L", "unit": "%", "placeholder": "M", "item_labels": ["N"],
            "choices": { "x": "O", "y": { "label": "P", "icon": "no text" } },
            "suggestions": { "no text": "Q" }, "formats": [{ "title": "R", "columns": ["no text"] }],
        } },
    });
    write("kinds/bar/kind.json", kind);
    write("setting_ui.json", json!({ "sort": { "help": "S" } }));
    let de = |name: &str| format!("{GERMAN_FOLDER}/{name}.json");
    write(&de("aliases"), json!({ "bar": ["one", "One"], "pie": ["x", "y"] }));
    write(&de("bar"), json!({ "A": "a", "C.": "c", "unknown": "u" }));
    write(&de("common"), json!({ "A": "a", "B": "", "D": "d" }));
    let problems = Texts::read(folder.path()).find_problems();
    let missing: Vec<&str> = problems
        .iter()
        .filter_map(|problem| problem.strip_suffix(" has no German text")?.split('"').nth(1))
        .collect();
    assert_eq!(missing.concat(), "EFGHIJKLMNOPQRS");
    for want in [
        "bar: \"unknown\" is not used",
        "common: \"A\" is not used",
        "bar: \"C.\" and \"c\" end",
        "common: \"B\" and \"\" end",
        "bar: the German aliases",
        "pie has aliases",
    ] {
        assert_eq!(problems.iter().filter(|text| text.contains(want)).count(), 1, "{want}");
    }
    assert_eq!(problems.len(), missing.len() + 6, "{problems:#?}");
}

#[test]
fn kinds_are_in_the_language_of_the_request() {
    let server = TestServer::new();
    let get = |path: &str, language: &str| {
        let response = server.send("GET", path, &[("accept-language", language)], "");
        assert_eq!(response.status, 200, "{}", response.text);
        let vary = response.headers("vary").join(", ");
        assert!(vary.contains("accept-language"), "{path}: {vary}");
        assert_eq!(response.header("content-language"), language, "{path}");
        assert_eq!(response.header("cache-control"), "private, no-cache", "{path}");
        response
    };
    for path in [
        "/api/v1/portfolio",
        "/api/v1/portfolio/widgets/bar",
        "/api/v1/widgets/bar",
        "/api/v1/portfolio/search?query=bar&include_description=1",
    ] {
        let english = get(path, "en");
        assert_eq!(server.send("GET", path, &[], "").text, english.text, "{path}");
        assert_ne!(get(path, "de").text, english.text, "{path}");
    }
    let (english, german) = (get("/api/v1/widgets/bar", "en"), get("/api/v1/widgets/bar", "de"));
    assert_ne!(english.header("etag"), german.header("etag"));
    let tag = [("accept-language", "en"), ("if-none-match", &german.header("etag")[..])];
    assert_eq!(server.send("GET", "/api/v1/widgets/bar", &tag, "").status, 200);
    let (english, german) = (english.json(), german.json());
    for (path, en, de) in [
        ("/title", "Bar chart", "Balkendiagramm"),
        ("/categories/0", "Bars and columns", "Balken und Säulen"),
        ("/data_columns/1/title", "Value", "Wert"),
        ("/settings_schema/properties/sort/title", "Order", "Reihenfolge"),
        ("/settings_schema/properties/axis/properties/min/title", "Start", "Anfang"),
        ("/form/0/title", "Bars", "Balken"),
        ("/ui/sort/choices/asc/label", "Ascending", "Aufsteigend"),
        ("/ui/locale/suggestions/fr", "French", "Französisch"),
    ] {
        assert_eq!(english.pointer(path).unwrap(), en);
        assert_eq!(german.pointer(path).unwrap(), de);
    }
    for name in ["default_settings", "sample_data", "sample", "default_layout", "slug"] {
        assert_eq!(english[name], german[name], "{name}");
    }
    let aliases = german["aliases"].as_array().unwrap();
    for name in ["Säulendiagramm", "Bar chart", "column chart"] {
        assert!(aliases.contains(&json!(name)), "{name}");
    }
}

#[test]
fn german_names_find_kinds_and_sort_categories() {
    let server = TestServer::new();
    let get = |path: &str| server.send("GET", path, &[("accept-language", "de")], "").json();
    let first = |query: &str| {
        let found = get(&format!("/api/v1/portfolio/search?query={query}&include_description=1"));
        found["widgets"][0]["slug"].as_str().unwrap_or_default().to_owned()
    };
    assert_eq!(first("tortendia"), "pie");
    assert_eq!(first("Kuchendiagramm"), "pie");
    assert_eq!(first("S%C3%A4ulengrafik"), "bar");
    assert_eq!(first("Gestapeltes+S%C3%A4ulendia"), "stacked-column");
    assert_eq!(first("Wasserfall"), "waterfall");
    assert_eq!(first("pie+chart"), "pie");
    assert_eq!(first("Restaufwand"), "burndown");
    let lists = get("/api/v1/portfolio")["lists"].clone();
    let lists = lists.as_array().unwrap();
    let title = |list: &Value| list["title"].as_str().unwrap().to_owned();
    assert_eq!([&lists[0], &lists[1]].map(title), ["Favoriten", "Zuletzt verwendet"]);
    let mut titles: Vec<String> = lists[3..lists.len() - 1].iter().map(title).collect();
    assert_eq!(titles[0], "Abläufe und Prozesse");
    assert!(lists.iter().any(|list| list["id"] == "bars-and-columns"));
    let served = titles.clone();
    titles.sort();
    assert_eq!(titles, served);
}

#[test]
fn titles_have_the_language_of_the_request_but_the_mapping_does_not_depend_on_it() {
    let server = TestServer::new();
    let user = server.create_user("Ann");
    let token = server.create_bearer_token(&user.id);
    let analyze = |language: &str, table: &str| {
        let headers = [
            ("authorization", &token[..]),
            ("accept-language", language),
            ("content-type", "text/csv"),
        ];
        let response = server.send("POST", "/api/v1/tables", &headers, table);
        assert_eq!(response.status, 200, "{}", response.text);
        response.json()
    };
    let find = |analysis: &Value, slug: &str| {
        let kinds = analysis["kinds"].as_array().unwrap();
        kinds.iter().find(|kind| kind["slug"] == slug).unwrap().clone()
    };
    for (language, title, missing) in
        [("en", "Sankey diagram", "Value"), ("de", "Sankey-Diagramm", "Wert")]
    {
        let sankey = find(&analyze(language, "Produkt,Farbe\na,rot\nb,blau\n"), "sankey");
        assert_eq!(sankey["title"], title);
        let titles: Vec<&Value> =
            sankey["missing"].as_array().unwrap().iter().map(|column| &column["title"]).collect();
        assert!(titles.contains(&&json!(missing)), "{titles:?}");
    }
    // "Größe" is the German title of the area of bubbles, but stands here for a height.
    for (slug, table) in [
        ("scatter", "Person,Größe,Gewicht\nAnn,180,75\nBen,170,68\n"),
        ("box-plot", "Bezeichnung,Erstes Quartil,Median\na,1,2\nb,2,4\n"),
    ] {
        let mapping = |language: &str| {
            let kind = find(&analyze(language, table), slug);
            let mut columns = kind["mapping"].as_array().unwrap().clone();
            // The titles of the columns are for people.
            for column in &mut columns {
                column.as_object_mut().unwrap().remove("title");
            }
            (columns, kind["score"].clone(), kind["left_over"].clone())
        };
        assert!(!mapping("en").0.is_empty(), "{slug}");
        assert_eq!(mapping("de"), mapping("en"), "{slug}");
    }
}
