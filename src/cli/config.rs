//! `chartroom config`: shows and checks the settings.

use clap::Subcommand;
use serde_json::Map;
use serde_json::Value;
use serde_json::json;

use super::CommandContext;
use super::Failure;
use chartroom_platform::config::LoadedConfig;
use chartroom_platform::config::SETTINGS;

/// Subcommands of `chartroom config`.
#[derive(Subcommand)]
pub enum ConfigCommand {
    /// Print every setting with value and origin; secrets are hidden
    Show {
        /// Also print the description of each setting
        #[arg(long)]
        explain: bool,
    },
    /// Check the settings and print problems only
    Check,
}

/// Runs `chartroom config`: prints the settings, or states that they are valid. Both subcommands
/// fail with the problems if settings are invalid.
pub fn run(context: &CommandContext, command: &ConfigCommand) -> Result<(), Failure> {
    let loaded = context.load_settings()?;
    match command {
        ConfigCommand::Show { explain } => {
            context.print(&as_json(&loaded), as_text(&loaded, *explain))
        }
        ConfigCommand::Check => {
            let file = loaded.file.as_ref().map(|file| file.display().to_string());
            let text = match &file {
                Some(file) => format!("the settings are valid (file {file})"),
                None => "the settings are valid (no settings file)".to_owned(),
            };
            context.print(&json!({ "valid": true, "file": file }), text)
        }
    }
}

/// Returns the settings as a JSON object by name, each with value, origin and description. For
/// secrets, the value states only whether they are set.
fn as_json(loaded: &LoadedConfig) -> Value {
    let rows = SETTINGS.iter().zip(&loaded.origins).map(|(setting, origin)| {
        let mut row = json!({
            "value": (setting.format)(&loaded.config),
            "origin": origin.to_string(),
            "about": setting.description.trim(),
        });
        if setting.is_secret {
            row["secret"] = true.into();
        }
        (setting.name.to_owned(), row)
    });
    Value::Object(rows.collect::<Map<_, _>>())
}

/// Returns the settings in the format of a settings file, with their descriptions if `explain` is
/// set. Secrets are in comments that state only whether they are set.
fn as_text(loaded: &LoadedConfig, explain: bool) -> String {
    let mut text = String::new();
    for (setting, origin) in SETTINGS.iter().zip(&loaded.origins) {
        if explain {
            text.push_str(&format!("\n# {}\n", setting.description.trim()));
        }
        let comment = if setting.is_secret { "# " } else { "" };
        let value = toml::Value::String((setting.format)(&loaded.config));
        let line = format!("{comment}{} = {value}", setting.name);
        text.push_str(&format!("{line:<52} # {origin}\n"));
    }
    text
}
