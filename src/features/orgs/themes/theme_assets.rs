//! Choice of the assets that a theme uses.

use serde_json::Value;

use crate::features::orgs::assets::Asset;
use chartroom_charts::text;

/// Maximum size in bytes of the font files of a theme, together.
const MAX_FONT_BYTES: i64 = 32 << 20;

/// Returns the asset that a theme names as its logo. None if there is none or if it is a font.
pub fn find_logo<'a>(assets: &'a [Asset], theme: &Value) -> Option<&'a Asset> {
    let name = theme["logo"].as_str().unwrap_or_default();
    assets.iter().find(|asset| asset.filename == name && !asset.asset_type.is_font())
}

/// Returns the font files for the texts of a theme, at most four for each of title and body text:
/// those next to the regular, bold, italic and bold italic font. `fonts` is the field of the theme.
///
/// Leaves out files that exceed the common limit of their size. The regular fonts come first.
pub fn choose_fonts<'a>(assets: &'a [Asset], fonts: &Value) -> Vec<&'a Asset> {
    let mut chosen: Vec<&Asset> = Vec::new();
    for (is_bold, is_italic) in [(false, false), (true, false), (false, true), (true, true)] {
        for role in ["title", "body"] {
            let family = fonts[role]["family"].as_str().unwrap_or_default().trim();
            let weight = fonts[role]["weight"].as_f64().unwrap_or(400.0);
            let (regular, bold) = text::regular_and_bold_weights(weight);
            let wanted = if is_bold { bold } else { regular };
            let rank = |asset: &&Asset| (asset.is_italic != is_italic, distance(asset, wanted));
            let Some(font) = list_family(assets, family).min_by_key(rank) else { continue };
            let bytes: i64 = chosen.iter().map(|asset| asset.size).sum();
            let is_chosen = chosen.iter().any(|asset| asset.filename == font.filename);
            if !is_chosen && bytes + font.size <= MAX_FONT_BYTES {
                chosen.push(font);
            }
        }
    }
    chosen
}

/// Returns the fonts of a family. The case of its name does not matter.
fn list_family<'a>(assets: &'a [Asset], family: &str) -> impl Iterator<Item = &'a Asset> {
    let family = family.to_lowercase();
    let belongs = move |asset: &&Asset| {
        let name = asset.family.as_deref().unwrap_or_default().to_lowercase();
        asset.asset_type.is_font() && name == family
    };
    assets.iter().filter(belongs)
}

/// Returns the distance of the weights of a font from a weight. Zero if the font has the weight.
fn distance(asset: &Asset, weight: f64) -> u32 {
    let (lowest, highest) = asset.weights;
    let nearest = weight.max(f64::from(lowest)).min(f64::from(highest));
    (weight - nearest).abs() as u32
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;
    use crate::features::orgs::assets::AssetType;
    use chartroom_platform::time::Timestamp;

    /// Returns a font of a family with these weights. An italic one has a filename that begins with
    /// `i`.
    fn font(filename: &str, family: &str, weights: (u16, u16), size: i64) -> Asset {
        Asset {
            filename: filename.to_owned(),
            asset_type: AssetType::Ttf,
            family: Some(family.to_owned()),
            weights,
            is_italic: filename.starts_with('i'),
            size,
            hash: [0; 32],
            created: Timestamp(0),
            updated: Timestamp(0),
        }
    }

    /// Returns the filenames of the fonts that are chosen for a theme.
    fn choose<'a>(assets: &'a [Asset], title: (&str, f64), body: (&str, f64)) -> Vec<&'a str> {
        let role = |(family, weight): (&str, f64)| json!({ "family": family, "weight": weight });
        let fonts = json!({ "title": role(title), "body": role(body) });
        choose_fonts(assets, &fonts).into_iter().map(|asset| asset.filename.as_str()).collect()
    }

    #[test]
    fn the_nearest_fonts_of_each_family_are_chosen() {
        let mut assets: Vec<Asset> = (1..=9)
            .flat_map(|step| {
                let weight = step * 100;
                let [upright, italic] = ["u", "i"].map(|style| format!("{style}{weight}"));
                let weights = (weight, weight);
                [font(&upright, "Acme", weights, 9), font(&italic, "ACME", weights, 9)]
            })
            .collect();
        assets.push(font("other", "Other", (100, 900), 9));
        assets.push(Asset { asset_type: AssetType::Svg, ..font("svg", "Acme", (300, 300), 9) });
        assert_eq!(choose(&assets, ("acme", 310.0), ("", 400.0)), ["u300", "u700", "i300", "i700"]);
        assert_eq!(
            choose(&assets, (" Acme ", 800.0), ("other", 400.0)),
            ["u400", "other", "u800", "i400", "i800"]
        );
        let upright = [font("a", "Acme", (100, 900), 9), font("b", "Acme", (1000, 1000), 9)];
        assert_eq!(choose(&upright, ("acme", 700.0), ("acme", 400.0)), ["a"]);
        assert_eq!(choose(&assets, ("absent", 400.0), ("", 400.0)), [] as [&str; 0]);
    }

    #[test]
    fn the_size_of_all_fonts_is_limited() {
        let sizes = [("u4", 400, 20), ("u7", 700, 14), ("i4", 400, 11)];
        let assets =
            sizes.map(|(name, weight, mib)| font(name, "Acme", (weight, weight), mib << 20));
        assert_eq!(choose(&assets, ("acme", 400.0), ("acme", 400.0)), ["u4", "i4"]);
    }
}
