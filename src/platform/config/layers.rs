//! Reads the layers of the settings: the settings file, the environment and the flags.

use std::ffi::OsString;
use std::fs;
use std::path::Path;
use std::path::PathBuf;

use super::loaded::ConfigProblem;
use super::loaded::LoadedConfig;
use super::loaded::ValueOrigin;
use super::settings::Config;
use super::settings::SETTINGS;
use super::settings::Setting;
use super::settings::find_setting;
use super::validate;
use crate::assets;

/// Prefix of the environment variables of the program.
const PREFIX: &str = "CHARTROOM_";
/// Variable with the path of the settings file, like `--config`.
const CONFIG_VARIABLE: &str = "CHARTROOM_CONFIG";
/// Name of the settings file in the data directory.
const FILE_NAME: &str = "chartroom.toml";

/// The inputs of the settings.
#[derive(Debug, Default)]
pub struct ConfigSources {
    /// Path from `--config`.
    pub file: Option<PathBuf>,
    /// Names and values of the settings given as flags.
    pub flags: Vec<(&'static str, String)>,
    /// Environment variables. Those without the prefix `CHARTROOM_` are ignored.
    pub environment: Vec<(OsString, OsString)>,
}

/// Reads all layers, derives values and validates the settings. Flags override environment variables,
/// and these override the settings file.
///
/// # Errors
/// Returns the problems of all layers, not only the first one. Settings are checked against each
/// other only if the layers have no problem.
pub fn load(sources: &ConfigSources) -> Result<LoadedConfig, Vec<ConfigProblem>> {
    let mut loaded = LoadedConfig {
        config: Config::default(),
        origins: vec![ValueOrigin::Default; SETTINGS.len()],
        file: None,
    };
    let mut problems = Vec::new();
    let variables = read_variables(sources, &mut problems);
    if let Some(file) = find_settings_file(sources, &variables, &mut problems) {
        read_file(&file, &mut loaded, &mut problems);
    }
    for (name, value) in &variables {
        read_variable(name, value, &variables, &mut loaded, &mut problems);
    }
    for (name, value) in &sources.flags {
        let flag = format!("--{}", name.replace('_', "-"));
        let result = find_setting(name)
            .ok_or_else(|| "is not a setting".to_owned())
            .and_then(|setting| loaded.set_value(setting, value, ValueOrigin::Flag(flag.clone())));
        problems.extend(result.err().map(|message| ConfigProblem { place: flag, message }));
    }
    if problems.is_empty() {
        problems = validate::derive_and_validate(&mut loaded);
    }
    if problems.is_empty() { Ok(loaded) } else { Err(problems) }
}

/// Returns the environment variables with the prefix of the program, sorted by name. Adds a problem
/// for each with a value that is not valid UTF-8, and skips it.
fn read_variables(
    sources: &ConfigSources,
    problems: &mut Vec<ConfigProblem>,
) -> Vec<(String, String)> {
    let mut variables = Vec::new();
    for (name, value) in &sources.environment {
        let name = name.to_string_lossy();
        if !name.starts_with(PREFIX) {
            continue;
        }
        match value.to_str() {
            Some(value) => variables.push((name.into_owned(), value.to_owned())),
            None => problems.push(ConfigProblem {
                place: name.into_owned(),
                message: "is not valid UTF-8".to_owned(),
            }),
        }
    }
    variables.sort();
    variables
}

/// The settings file to read.
struct SettingsFile {
    path: PathBuf,
    /// Whether `--config` or `CHARTROOM_CONFIG` names the file. Otherwise it is the file in the
    /// data directory.
    is_explicit: bool,
}

/// Returns the settings file: the explicit one, or the one in the data directory if it exists.
///
/// `--config` takes precedence over `CHARTROOM_CONFIG`. If the explicit file does not exist, adds a
/// problem and returns None.
fn find_settings_file(
    sources: &ConfigSources,
    variables: &[(String, String)],
    problems: &mut Vec<ConfigProblem>,
) -> Option<SettingsFile> {
    let find_variable = |searched: &str| {
        variables.iter().find(|(name, _)| name == searched).map(|(_, value)| PathBuf::from(value))
    };
    if let Some(path) = sources.file.clone().or_else(|| find_variable(CONFIG_VARIABLE)) {
        if !path.is_file() {
            problems.push(ConfigProblem {
                place: path.display().to_string(),
                message: "the settings file does not exist".to_owned(),
            });
            return None;
        }
        return Some(SettingsFile { path, is_explicit: true });
    }
    let flag = sources.flags.iter().find(|(name, _)| *name == "data_dir");
    let data_dir = flag
        .map(|(_, value)| PathBuf::from(value))
        .or_else(|| find_variable("CHARTROOM_DATA_DIR"))
        .unwrap_or_else(|| Config::default().data_dir);
    let path = data_dir.join(FILE_NAME);
    path.is_file().then_some(SettingsFile { path, is_explicit: false })
}

/// Reads a settings file: sets the values of its keys in `loaded` and adds its errors to
/// `problems`.
///
/// Rejects `data_dir` in the file of the data directory.
fn read_file(file: &SettingsFile, loaded: &mut LoadedConfig, problems: &mut Vec<ConfigProblem>) {
    let path: &Path = &file.path;
    loaded.file = Some(path.to_owned());
    let mut problem = |key: &str, message: String| {
        let key = if key.is_empty() { String::new() } else { format!(": {key}") };
        problems.push(ConfigProblem { place: format!("{}{key}", path.display()), message });
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
        let Some(setting) = find_setting(key) else {
            let names = SETTINGS.iter().map(|setting| setting.name.to_owned());
            problem(key, unknown_name_message("setting", key, names));
            continue;
        };
        if setting.name == "data_dir" && !file.is_explicit {
            problem(key, "must not be set in the settings file of the data directory".to_owned());
            continue;
        }
        match toml_to_text(value) {
            Some(text) => {
                let result = loaded.set_value(setting, &text, ValueOrigin::File(path.to_owned()));
                result.unwrap_or_else(|message| problem(key, message));
            }
            None => problem(key, format!("expected {}", (setting.expected_format)())),
        }
    }
}

/// Converts a TOML value to the text of the same value in a variable. A list becomes its items
/// separated by commas. Returns None for types other than strings, integers, booleans and lists of
/// them.
fn toml_to_text(value: &toml::Value) -> Option<String> {
    match value {
        toml::Value::String(text) => Some(text.clone()),
        toml::Value::Integer(number) => Some(number.to_string()),
        toml::Value::Boolean(value) => Some(value.to_string()),
        toml::Value::Array(parts) => {
            let parts: Option<Vec<String>> = parts.iter().map(toml_to_text).collect();
            Some(parts?.join(","))
        }
        _ => None,
    }
}

/// Reads one environment variable into `loaded`: the value of a setting, or the path of a file with
/// a secret. Adds a problem if it is unknown or invalid.
///
/// Ignores `CHARTROOM_CONFIG` and, in debug builds, `CHARTROOM_ASSETS`. A file with a secret is a
/// problem if `all` also has the variable with the secret itself. A name with lower-case letters is
/// unknown.
fn read_variable(
    name: &str,
    value: &str,
    all: &[(String, String)],
    loaded: &mut LoadedConfig,
    problems: &mut Vec<ConfigProblem>,
) {
    if name == CONFIG_VARIABLE || (cfg!(debug_assertions) && name == assets::LIVE_DIR_VARIABLE) {
        return;
    }
    let mut problem = |message| problems.push(ConfigProblem { place: name.to_owned(), message });
    let upper_case = name.to_uppercase();
    let key = name.strip_prefix(PREFIX).filter(|_| name == upper_case);
    let key = key.unwrap_or_default().to_lowercase();
    let origin = ValueOrigin::Environment(name.to_owned());
    if let Some(setting) = find_setting(&key) {
        return loaded.set_value(setting, value, origin).unwrap_or_else(problem);
    }
    let secret =
        key.strip_suffix("_file").and_then(find_setting).filter(|setting| setting.is_secret);
    let Some(setting) = secret else {
        return problem(unknown_name_message("variable", &upper_case, known_variables()));
    };
    let direct = name.trim_end_matches("_FILE");
    if all.iter().any(|(other, _)| other == direct) {
        return problem(format!("{direct} is also set; set only one of them"));
    }
    match fs::read_to_string(value) {
        // Editors and `echo` append a line feed that is not part of the secret.
        Ok(text) => loaded
            .set_value(setting, text.trim_end_matches(['\r', '\n']), origin)
            .unwrap_or_else(problem),
        Err(error) => problem(format!("{value}: {error}")),
    }
}

/// Iterates over the names of the valid environment variables: for settings, for files with secrets
/// (`..._FILE`), and for the settings file.
fn known_variables() -> impl Iterator<Item = String> {
    let list_names = |setting: &Setting| {
        let name = format!("{PREFIX}{}", setting.name.to_uppercase());
        let file = setting.is_secret.then(|| format!("{name}_FILE"));
        std::iter::once(name).chain(file)
    };
    SETTINGS.iter().flat_map(list_names).chain([CONFIG_VARIABLE.to_owned()])
}

/// Returns the message about an unknown name. It suggests the most similar of `valid_names`, however
/// different that is. `kind` is the noun in the message, such as `setting`.
fn unknown_name_message(
    kind: &str,
    name: &str,
    valid_names: impl Iterator<Item = String>,
) -> String {
    let nearest =
        valid_names.min_by_key(|valid_name| strsim::damerau_levenshtein(name, valid_name));
    match nearest {
        Some(nearest) => format!("unknown {kind}; did you mean {nearest}?"),
        None => format!("unknown {kind}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn environment(pairs: &[(&str, &str)]) -> Vec<(OsString, OsString)> {
        pairs.iter().map(|(name, value)| (name.into(), value.into())).collect()
    }

    #[test]
    fn each_layer_overrides_the_previous_one() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.toml");
        fs::write(&path, "max_records = 1\nmax_body_bytes = \"1 KiB\"\nsmtp_port = 26\n").unwrap();
        let loaded = load(&ConfigSources {
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
        assert_eq!(loaded.origin("smtp_port"), &ValueOrigin::File(path));
        assert_eq!(loaded.origin("base_url"), &ValueOrigin::DerivedFrom("listen"));
        assert_eq!(loaded.origin("dns"), &ValueOrigin::Default);
    }

    #[test]
    fn all_problems_are_reported_with_place_and_suggestion() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("settings.toml");
        fs::write(&path, "lissten = \"127.0.0.1:1\"\nmax_records = true\n").unwrap();
        let problems = load(&ConfigSources {
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
            .map(|problem| problem.to_string().replace(&path.display().to_string(), "FILE"))
            .collect();
        assert_eq!(
            texts,
            [
                "FILE: lissten: unknown setting; did you mean listen?",
                "FILE: max_records: \"true\" is invalid or out of range; expected a whole number",
                "CHARTROOM_BASEURL: unknown variable; did you mean CHARTROOM_BASE_URL?",
                "CHARTROOM_LOG_FORMAT: \"loud\" is invalid; \
                 expected one of auto, text, json",
                "CHARTROOM_SMTP_PASSWORD_FIL: unknown variable; \
                 did you mean CHARTROOM_SMTP_PASSWORD_FILE?",
                "--listen: \"nowhere\" is invalid; \
                 expected an IP address and a port such as 127.0.0.1:8080",
            ]
        );
    }

    #[test]
    fn variables_have_one_spelling() {
        let variables = [
            ("CHARTROOM_CHARTROOM_LISTEN", "127.0.0.1:1"),
            ("CHARTROOM_Listen", "127.0.0.1:1"),
            ("CHARTROOM_data_dir", "/x"),
        ];
        let sources =
            ConfigSources { environment: environment(&variables), ..ConfigSources::default() };
        let problems = load(&sources).unwrap_err();
        let places: Vec<&str> = problems.iter().map(|problem| problem.place.as_str()).collect();
        assert_eq!(places, variables.map(|(name, _)| name));
        assert_eq!(problems[2].message, "unknown variable; did you mean CHARTROOM_DATA_DIR?");
        assert_eq!(problems[1].message, "unknown variable; did you mean CHARTROOM_LISTEN?");
    }

    #[test]
    fn a_secret_is_read_from_a_file_without_its_last_line_feed() {
        let dir = tempfile::tempdir().unwrap();
        let path = dir.path().join("password");
        fs::write(&path, "hunter2\n").unwrap();
        let path = path.display().to_string();
        let mut variables =
            vec![("CHARTROOM_SMTP_USER", "ann"), ("CHARTROOM_SMTP_HOST", "mail.example.org")];
        variables.push(("CHARTROOM_SMTP_PASSWORD_FILE", &path));
        let sources =
            ConfigSources { environment: environment(&variables), ..ConfigSources::default() };
        assert_eq!(load(&sources).unwrap().config.smtp_password.reveal(), "hunter2");

        variables.push(("CHARTROOM_SMTP_PASSWORD", "other"));
        let sources =
            ConfigSources { environment: environment(&variables), ..ConfigSources::default() };
        let problems = load(&sources).unwrap_err();
        assert_eq!(
            problems[0].to_string(),
            "CHARTROOM_SMTP_PASSWORD_FILE: CHARTROOM_SMTP_PASSWORD is also set; set only one of them"
        );
    }
}
