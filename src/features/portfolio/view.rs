//! A chart kind as the interface shows it, where it is called a plugin.

use std::collections::HashMap;
use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::catalogue::KindInfo;
use super::store;
use chartroom_platform::db::Tx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;

/// A chart kind in lists.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Plugin")]
pub struct Plugin {
    /// UUID.
    pub id: &'static str,
    /// Accepted wherever an id is.
    pub slug: &'static str,
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    pub description: &'static str,
    pub categories: &'static [String],
    pub tags: &'static [String],
    pub aliases: &'static [String],
    /// Whether the caller marked it.
    pub is_favorite: bool,
    pub rating: RatingView,
    /// `width`, `height` and `margin` of a new document, in points.
    pub default_layout: &'static Value,
    pub version: u32,
    pub urls: PluginUrls,
}

/// All ratings together.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rating")]
pub struct RatingView {
    /// Mean of 1 to 5; null without ratings.
    pub average: Option<f64>,
    pub count: i64,
}

/// Where a chart kind's things are.
#[derive(Serialize, JsonSchema)]
pub struct PluginUrls {
    pub endpoint: String,
    /// For the browser.
    pub view: String,
    pub thumbnail: String,
    pub icon: String,
    pub download: String,
}

/// A chart kind in full.
#[derive(Serialize, JsonSchema)]
pub struct PluginDetails {
    #[serde(flatten)]
    pub plugin: Plugin,
    /// What a record holds: `key`, `title`, `type`, `role`, `required`, `repeats`.
    pub data_columns: &'static Value,
    /// JSON Schema 2020-12 of `settings`.
    pub settings_schema: &'static Value,
    /// Groups of setting names, in the order of a form.
    pub form: &'static Value,
}

/// A chart kind with all that a new document of it begins with.
#[derive(Serialize, JsonSchema)]
pub struct PluginDownload {
    #[serde(flatten)]
    pub details: PluginDetails,
    pub default_settings: &'static Value,
    /// Records of the example.
    pub sample_data: &'static [Value],
    pub sample: SampleView,
}

/// What else the example has.
#[derive(Serialize, JsonSchema)]
pub struct SampleView {
    pub title: &'static str,
    pub settings: &'static Value,
    pub style: &'static Value,
}

/// What the descriptions take from the database, read once for all kinds.
pub struct Opinions {
    favorites: HashSet<String>,
    ratings: HashMap<String, (f64, i64)>,
}

impl Opinions {
    /// Reads them for a caller, if there is one.
    pub fn read(tx: &Tx<'_>, caller: Option<&AccountId>) -> Result<Self> {
        let favorites = match caller {
            Some(user) => store::favorites(tx, user)?,
            None => Vec::new(),
        };
        let ratings = store::ratings(tx)?;
        Ok(Self {
            favorites: favorites.into_iter().collect(),
            ratings: ratings.into_iter().map(|it| (it.kind, (it.average, it.count))).collect(),
        })
    }
}

/// The description in lists.
pub fn plugin(base_url: &str, kind: &'static KindInfo, opinions: &Opinions) -> Plugin {
    let rating = opinions.ratings.get(&kind.id);
    let endpoint = format!("{base_url}/api/v1/portfolio/widgets/{}", kind.id);
    Plugin {
        id: &kind.id,
        slug: &kind.slug,
        title: &kind.title,
        summary: &kind.summary,
        description: &kind.description,
        categories: &kind.categories,
        tags: &kind.tags,
        aliases: &kind.aliases,
        is_favorite: opinions.favorites.contains(&kind.id),
        rating: RatingView {
            // Two decimals: more would only pretend to be exact.
            average: rating.map(|(average, _)| (average * 100.0).round() / 100.0),
            count: rating.map_or(0, |(_, count)| *count),
        },
        default_layout: &kind.default_layout,
        version: kind.version,
        urls: PluginUrls {
            view: format!("{base_url}/new/{}", kind.slug),
            thumbnail: format!("{endpoint}/thumbnail.svg"),
            icon: format!("{endpoint}/icon.svg"),
            download: format!("{base_url}/api/v1/widgets/{}", kind.id),
            endpoint,
        },
    }
}

/// The description in full.
pub fn details(base_url: &str, kind: &'static KindInfo, opinions: &Opinions) -> PluginDetails {
    PluginDetails {
        plugin: plugin(base_url, kind, opinions),
        data_columns: &kind.data_columns,
        settings_schema: &kind.settings_schema,
        form: &kind.form,
    }
}

/// Everything.
pub fn download(base_url: &str, kind: &'static KindInfo, opinions: &Opinions) -> PluginDownload {
    PluginDownload {
        details: details(base_url, kind, opinions),
        default_settings: &kind.default_settings,
        sample_data: &kind.sample.data,
        sample: SampleView {
            title: &kind.sample.title,
            settings: &kind.sample.settings,
            style: &kind.sample.style,
        },
    }
}
