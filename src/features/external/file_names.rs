//! Names of the files of documents.

/// End of the name of a document.
const SUFFIX: &str = ".chart.json";
/// Characters that a provider forbids in names.
const FORBIDDEN: [char; 9] = ['/', '\\', ':', '*', '?', '"', '<', '>', '|'];
/// Maximum length of a title in the name of a file in characters. The shortest limit of a provider is 255.
const MAX_TITLE_CHARS: usize = 200;
/// Name of a document without a title.
const UNTITLED: &str = "Chart";

/// Returns the title in the name of a document. None for the name of another file.
pub fn title_of(name: &str) -> Option<&str> {
    let at = name.len().checked_sub(SUFFIX.len())?;
    let end = name.get(at..)?;
    end.eq_ignore_ascii_case(SUFFIX)
        .then(|| name.get(..at))
        .flatten()
        .filter(|title| !title.is_empty())
}

/// Returns the name of the file for a title. `number` above 1 is added, for a name that is taken.
pub fn name_for(title: &str, number: u32) -> String {
    let replace = |char: char| match char.is_control() || FORBIDDEN.contains(&char) {
        true => '_',
        false => char,
    };
    let title: String = title.chars().map(replace).take(MAX_TITLE_CHARS).collect();
    // OneDrive refuses spaces and dots at the ends.
    let title = title.trim().trim_matches('.').trim();
    let title = if title.is_empty() { UNTITLED } else { title };
    match number {
        0 | 1 => format!("{title}{SUFFIX}"),
        number => format!("{title} ({number}){SUFFIX}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn names_have_no_characters_that_a_provider_forbids() {
        assert_eq!(name_for("Sales 2026", 1), "Sales 2026.chart.json");
        assert_eq!(name_for("a/b\\c:d*e?f\"g<h>i|j\nk", 1), "a_b_c_d_e_f_g_h_i_j_k.chart.json");
        assert_eq!(name_for(" . ", 2), "Chart (2).chart.json");
        assert_eq!(name_for("Größe 📈", 3), "Größe 📈 (3).chart.json");
        assert!(name_for(&"ä".repeat(500), 1).chars().count() < 220);
    }

    #[test]
    fn titles_are_the_names_without_their_end() {
        assert_eq!(title_of("Sales.chart.json"), Some("Sales"));
        assert_eq!(title_of("Sales.CHART.JSON"), Some("Sales"));
        for name in ["Sales.json", ".chart.json", "", "ä", "Sales.chart.jsonx"] {
            assert_eq!(title_of(name), None, "{name}");
        }
    }
}
