//! Reads the layers of settings and says which one each value came from.

use std::ffi::OsString;
use std::fmt;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use super::Config;
use super::SETTINGS;
use super::Setting;
use super::check;
use super::setting;
use crate::assets;

/// What environment variables of ours begin with.
const PREFIX: &str = "CHARTROOM_";
/// The variable that names the settings file, as `--config` does.
const CONFIG_VARIABLE: &str = "CHARTROOM_CONFIG";
/// The settings file in the data directory.
const FILE_NAME: &str = "chartroom.toml";

/// Where settings come from.
#[derive(Debug, Default)]
pub struct Sources {
    /// `--config`.
    pub file: Option<PathBuf>,
    /// Names of settings and values given as flags.
    pub flags: Vec<(&'static str, String)>,
    /// The environment; variables of other programs are ignored.
    pub environment: Vec<(OsString, OsString)>,
}

/// Which layer a value came from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Origin {
    /// Nobody set it.
    Default,
    /// Nobody set it; it follows from this other setting.
    From(&'static str),
    /// The settings file.
    File(PathBuf),
    /// An environment variable.
    Environment(String),
    /// A flag.
    Flag(String),
}

impl fmt::Display for Origin {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Default => f.write_str("default"),
            Self::From(name) => write!(f, "from {name}"),
            Self::File(path) => write!(f, "file {}", path.display()),
            Self::Environment(name) => write!(f, "environment {name}"),
            Self::Flag(name) => write!(f, "flag {name}"),
        }
    }
}

/// One thing that is wrong with the settings.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Problem {
    /// Where: the file and the key, the variable or the flag.
    pub place: String,
    /// What, lower case, without a full stop.
    pub message: String,
}

impl fmt::Display for Problem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}: {}", self.place, self.message)
    }
}

/// The settings and where each came from.
#[derive(Debug)]
pub struct Loaded {
    /// The settings.
    pub config: Config,
    /// The origin of each, in the order of [`SETTINGS`].
    pub origins: Vec<Origin>,
    /// The settings file, if there is one.
    pub file: Option<PathBuf>,
}

impl Loaded {
    /// The origin of the setting `name`.
    pub fn origin(&self, name: &str) -> &Origin {
        let index = SETTINGS.iter().position(|it| it.name == name);
        index.and_then(|it| self.origins.get(it)).unwrap_or(&Origin::Default)
    }

    /// Whether nobody set `name`, so that it may follow from what turns out later.
    pub fn follows(&self, name: &str) -> bool {
        matches!(self.origin(name), Origin::Default | Origin::From(_))
    }

    /// Sets the origin of the setting `name`.
    pub(super) fn set_origin(&mut self, name: &str, origin: Origin) {
        if let Some(index) = SETTINGS.iter().position(|it| it.name == name) {
            self.origins[index] = origin;
        }
    }

    /// Puts one value on top of what is there.
    fn put(&mut self, setting: &Setting, text: &str, origin: Origin) -> Result<(), String> {
        (setting.set)(&mut self.config, text)
            .map_err(|what| format!("{what}; expected {}", (setting.expects)()))?;
        self.set_origin(setting.name, origin);
        Ok(())
    }
}

/// Reads all layers.
///
/// # Errors
/// Everything that is wrong, not only the first.
pub fn load(sources: &Sources) -> Result<Loaded, Vec<Problem>> {
    let mut loaded = Loaded {
        config: Config::default(),
        origins: vec![Origin::Default; SETTINGS.len()],
        file: None,
    };
    let mut problems = Vec::new();
    let variables = variables(sources, &mut problems);
    if let Some((path, named)) = file_path(sources, &variables, &mut problems) {
        read_file(&path, named, &mut loaded, &mut problems);
    }
    for (name, value) in &variables {
        read_variable(name, value, &variables, &mut loaded, &mut problems);
    }
    for (name, value) in &sources.flags {
        let flag = format!("--{}", name.replace('_', "-"));
        let put = setting(name)
            .ok_or_else(|| "is not a setting".to_owned())
            .and_then(|it| loaded.put(it, value, Origin::Flag(flag.clone())));
        problems.extend(put.err().map(|message| Problem { place: flag, message }));
    }
    if problems.is_empty() {
        problems = check::resolve(&mut loaded);
    }
    if problems.is_empty() { Ok(loaded) } else { Err(problems) }
}

/// Our variables, as text.
fn variables(sources: &Sources, problems: &mut Vec<Problem>) -> Vec<(String, String)> {
    let mut found = Vec::new();
    for (name, value) in &sources.environment {
        let name = name.to_string_lossy();
        if !name.starts_with(PREFIX) {
            continue;
        }
        match value.to_str() {
            Some(value) => found.push((name.into_owned(), value.to_owned())),
            None => problems.push(Problem {
                place: name.into_owned(),
                message: "is not valid UTF-8".to_owned(),
            }),
        }
    }
    found.sort();
    found
}

/// The settings file and whether it was named: the named one, which must exist, else the data
/// directory's own if there is one.
fn file_path(
    sources: &Sources,
    variables: &[(String, String)],
    problems: &mut Vec<Problem>,
) -> Option<(PathBuf, bool)> {
    let variable = |wanted: &str| {
        variables.iter().find(|(name, _)| name == wanted).map(|(_, value)| PathBuf::from(value))
    };
    if let Some(path) = sources.file.clone().or_else(|| variable(CONFIG_VARIABLE)) {
        if !path.is_file() {
            problems.push(Problem {
                place: path.display().to_string(),
                message: "there is no such settings file".to_owned(),
            });
            return None;
        }
        return Some((path, true));
    }
    let flag = sources.flags.iter().find(|(name, _)| *name == "data_dir");
    let data_dir = flag
        .map(|(_, value)| PathBuf::from(value))
        .or_else(|| variable("CHARTROOM_DATA_DIR"))
        .unwrap_or_else(|| Config::default().data_dir);
    let path = data_dir.join(FILE_NAME);
    path.is_file().then_some((path, false))
}

/// Reads the file at `path`. One that was not `named` lies in the data directory.
fn read_file(path: &Path, named: bool, loaded: &mut Loaded, problems: &mut Vec<Problem>) {
    loaded.file = Some(path.to_owned());
    let mut problem = |key: &str, message: String| {
        let key = if key.is_empty() { String::new() } else { format!(": {key}") };
        problems.push(Problem { place: format!("{}{key}", path.display()), message });
    };
    let text = match fs::read_to_string(path) {
        Ok(text) => text,
        Err(error) => return problem("", error.to_string()),
    };
    let table: toml::Table = match text.parse() {
        Ok(table) => table,
        Err(error) => return problem("", error.to_string().trim().to_owned()),
    };
    for (key, value) in &table {
        let Some(setting) = setting(key) else {
            problem(key, unknown("setting", key, SETTINGS.iter().map(|it| it.name.to_owned())));
            continue;
        };
        if setting.name == "data_dir" && !named {
            problem(key, "cannot be set in the data directory's own file".to_owned());
            continue;
        }
        match written(value) {
            Some(text) => {
                let put = loaded.put(setting, &text, Origin::File(path.to_owned()));
                put.unwrap_or_else(|message| problem(key, message));
            }
            None => problem(key, format!("expected {}", (setting.expects)())),
        }
    }
}

/// A TOML value as it would be written in a variable: a list becomes its parts with commas.
fn written(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(value) => Some(value.to_string()),
        toml::Value::Array(parts) => {
            let parts: Option<Vec<String>> = parts.iter().map(written).collect();
            Some(parts?.join(","))
        }
        _ => None,
    }
}

fn read_variable(
    name: &str,
    value: &str,
    all: &[(String, String)],
    loaded: &mut Loaded,
    problems: &mut Vec<Problem>,
) {
    if name == CONFIG_VARIABLE || (cfg!(debug_assertions) && name == assets::LIVE) {
        return;
    }
    let mut problem = |message| problems.push(Problem { place: name.to_owned(), message });
    let key = name.trim_start_matches(PREFIX).to_lowercase();
    let origin = Origin::Environment(name.to_owned());
    if let Some(setting) = setting(&key) {
        return loaded.put(setting, value, origin).unwrap_or_else(problem);
    }
    let secret = key.strip_suffix("_file").and_then(setting).filter(|it| it.secret);
    let Some(setting) = secret else {
        return problem(unknown("variable", name, known_variables()));
    };
    let direct = name.trim_end_matches("_FILE");
    if all.iter().any(|(other, _)| other == direct) {
        return problem(format!("{direct} is set too; set one of them"));
    }
    match fs::read_to_string(value) {
        // Editors and `echo` end a file with a line feed that is no part of the secret.
        Ok(text) => {
            loaded.put(setting, text.trim_end_matches(['\r', '\n']), origin).unwrap_or_else(problem)
        }
        Err(error) => problem(format!("{value}: {error}")),
    }
}

fn known_variables() -> impl Iterator<Item = String> {
    let of = |it: &Setting| {
        let name = format!("{PREFIX}{}", it.name.to_uppercase());
        let file = it.secret.then(|| format!("{name}_FILE"));
        std::iter::once(name).chain(file)
    };
    SETTINGS.iter().flat_map(of).chain([CONFIG_VARIABLE.to_owned()])
}

/// The message about a key that does not exist, with the nearest that does.
fn unknown(what: &str, key: &str, valid: impl Iterator<Item = String>) -> String {
    let nearest = valid.min_by_key(|it| strsim::damerau_levenshtein(key, it));
    match nearest {
        Some(nearest) => format!("there is no such {what}; the nearest is {nearest}"),
        None => format!("there is no such {what}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn each_layer_overrides_the_one_before() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.toml");
        fs::write(&path, "max_records = 1\nmax_body_bytes = \"1 KiB\"\nsmtp_port = 26\n").unwrap();
        let loaded = load(&Sources {
            file: Some(path.clone()),
            environment: environment(&[
                ("CHARTROOM_MAX_RECORDS", "2"),
                ("CHARTROOM_MAX_BODY_BYTES", "2 KiB"),
                ("HOME", "/"),
            ]),
            flags: vec![("max_records", "3".to_owned())],
        })
        .unwrap();
        assert_eq!(loaded.config.max_records, 3);
        assert_eq!(loaded.config.max_body_bytes, 2048);
        assert_eq!(loaded.config.smtp_port, Some(26));
        assert_eq!(loaded.origin("max_records").to_string(), "flag --max-records");
        assert_eq!(
            loaded.origin("max_body_bytes").to_string(),
            "environment CHARTROOM_MAX_BODY_BYTES"
        );
        assert_eq!(loaded.origin("smtp_port"), &Origin::File(path));
        assert_eq!(loaded.origin("base_url"), &Origin::From("listen"));
        assert_eq!(loaded.origin("dns"), &Origin::Default);
    }

    #[test]
    fn every_problem_is_named_with_its_place_and_the_nearest_key() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.toml");
        fs::write(&path, "lissten = \"127.0.0.1:1\"\nmax_records = true\n").unwrap();
        let problems = load(&Sources {
            file: Some(path.clone()),
            environment: environment(&[
                ("CHARTROOM_BASEURL", "https://example.org"),
                ("CHARTROOM_LOG_FORMAT", "loud"),
                ("CHARTROOM_SMTP_PASSWORD_FIL", "/x"),
            ]),
            flags: vec![("listen", "nowhere".to_owned())],
        })
        .unwrap_err();
        let texts: Vec<String> = problems
            .iter()
            .map(|it| it.to_string().replace(&path.display().to_string(), "FILE"))
            .collect();
        assert_eq!(
            texts,
            [
                "FILE: lissten: there is no such setting; the nearest is listen",
                "FILE: max_records: \"true\" is not one, or is out of range; expected a whole number",
                "CHARTROOM_BASEURL: there is no such variable; the nearest is CHARTROOM_BASE_URL",
                "CHARTROOM_LOG_FORMAT: \"loud\" is not a word for it; \
                 expected one of auto, text, json",
                "CHARTROOM_SMTP_PASSWORD_FIL: there is no such variable; \
                 the nearest is CHARTROOM_SMTP_PASSWORD_FILE",
                "--listen: \"nowhere\" is not one; \
                 expected an IP address and a port such as 127.0.0.1:8080",
            ]
        );
    }

    #[test]
    fn a_secret_comes_from_a_file_without_its_last_line_feed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("password");
        fs::write(&path, "hunter2\n").unwrap();
        let path = path.display().to_string();
        let mut variables =
            vec![("CHARTROOM_SMTP_USER", "ann"), ("CHARTROOM_SMTP_HOST", "mail.example.org")];
        variables.push(("CHARTROOM_SMTP_PASSWORD_FILE", &path));
        let sources = Sources { environment: environment(&variables), ..Sources::default() };
        assert_eq!(load(&sources).unwrap().config.smtp_password.reveal(), "hunter2");

        variables.push(("CHARTROOM_SMTP_PASSWORD", "other"));
        let sources = Sources { environment: environment(&variables), ..Sources::default() };
        let problems = load(&sources).unwrap_err();
        assert_eq!(
            problems[0].to_string(),
            "CHARTROOM_SMTP_PASSWORD_FILE: CHARTROOM_SMTP_PASSWORD is set too; set one of them"
        );
    }
}
