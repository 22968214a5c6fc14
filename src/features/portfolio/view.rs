//! Chart kinds in API responses. The API calls a kind a plugin.

use std::collections::HashMap;
use std::collections::HashSet;

use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use super::catalogue::KindInfo;
use super::setting_ui::SettingHints;
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
    /// Short name, accepted wherever the id is.
    pub slug: &'static str,
    pub title: &'static str,
    /// One sentence.
    pub summary: &'static str,
    pub description: &'static str,
    pub categories: &'static [String],
    pub tags: &'static [String],
    pub aliases: &'static [String],
    /// Whether the caller marked the kind as favorite.
    pub is_favorite: bool,
    pub rating: RatingView,
    /// `width`, `height` and `margin` of a new document, in points.
    pub default_layout: &'static Value,
    pub version: u32,
    pub urls: PluginUrls,
}

/// Aggregated ratings.
#[derive(Serialize, JsonSchema)]
#[schemars(rename = "Rating")]
pub struct RatingView {
    /// Mean rating, 1 to 5. Null without ratings.
    pub average: Option<f64>,
    pub count: i64,
}

/// URLs of a chart kind.
#[derive(Serialize, JsonSchema)]
pub struct PluginUrls {
    pub endpoint: String,
    /// Page for browsers.
    pub view: String,
    pub thumbnail: String,
    pub icon: String,
    pub download: String,
}

/// A chart kind with columns and settings schema.
#[derive(Serialize, JsonSchema)]
pub struct PluginDetails {
    #[serde(flatten)]
    pub plugin: Plugin,
    /// Columns of the data records: `key`, `title`, `type`, `role`, `required`, `repeats`,
    /// `synonyms` (other headings in tables), `title_setting` (setting with the name in the chart).
    pub data_columns: &'static Value,
    /// JSON Schema 2020-12 of `settings`.
    pub settings_schema: &'static Value,
    /// Groups of setting names, in the order of a form.
    pub form: &'static Value,
    /// Hints for the form by the path of a setting, such as `axis.min`, `series[].color` or
    /// `rulesets.*.decimals`. Settings without hints are left out.
    pub ui: &'static SettingHints,
}

/// A chart kind with everything that a new document of it needs.
#[derive(Serialize, JsonSchema)]
pub struct PluginDownload {
    #[serde(flatten)]
    pub details: PluginDetails,
    pub default_settings: &'static Value,
    /// Data records of the example.
    pub sample_data: &'static [Value],
    pub sample: SampleView,
}

/// The other properties of the example.
#[derive(Serialize, JsonSchema)]
pub struct SampleView {
    pub title: &'static str,
    pub settings: &'static Value,
    pub style: &'static Value,
}

/// The data of kinds that is in the database, read once for all kinds of a response.
pub struct FavoritesAndRatings {
    favorites: HashSet<String>,
    ratings: HashMap<String, (f64, i64)>,
}

impl FavoritesAndRatings {
    /// Reads the ratings of all kinds and the favorites of the caller. A guest,
    /// None, has no favorites.
    pub fn read(tx: &Tx<'_>, caller: Option<&AccountId>) -> Result<Self> {
        let favorites = match caller {
            Some(user) => store::list_favorites(tx, user)?,
            None => Vec::new(),
        };
        let ratings = store::list_ratings(tx)?;
        Ok(Self {
            favorites: favorites.into_iter().collect(),
            ratings: ratings
                .into_iter()
                .map(|rating| (rating.kind, (rating.average, rating.count)))
                .collect(),
        })
    }
}

/// Builds the API object of a kind for lists. The mean rating is rounded to two decimals. It is
/// null for a kind without ratings. The texts are in the language of the request.
pub fn build_plugin(
    base_url: &str,
    kind: &'static KindInfo,
    opinions: &FavoritesAndRatings,
) -> Plugin {
    let rating = opinions.ratings.get(&kind.id);
    let endpoint = format!("{base_url}/api/v1/portfolio/widgets/{}", kind.id);
    let kind = kind.localized();
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
            // More than two decimals would suggest a precision that ratings do not have.
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

/// Builds the API object of a kind with columns and settings schema. Contains the object for lists.
pub fn build_details(
    base_url: &str,
    kind: &'static KindInfo,
    opinions: &FavoritesAndRatings,
) -> PluginDetails {
    let kind = kind.localized();
    PluginDetails {
        plugin: build_plugin(base_url, kind, opinions),
        data_columns: &kind.data_columns,
        settings_schema: &kind.settings_schema,
        form: &kind.form,
        ui: &kind.ui,
    }
}

/// Builds the API object of a kind with everything that a new document of it needs. These are the
/// default settings and the example, in addition to columns and settings schema.
pub fn build_download(
    base_url: &str,
    kind: &'static KindInfo,
    opinions: &FavoritesAndRatings,
) -> PluginDownload {
    PluginDownload {
        details: build_details(base_url, kind, opinions),
        default_settings: &kind.default_settings,
        sample_data: &kind.sample().data,
        sample: SampleView {
            title: &kind.sample().title,
            settings: &kind.sample().settings,
            style: &kind.sample().style,
        },
    }
}
