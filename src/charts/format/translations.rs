//! Translations of the fixed terms that appear in images.
//!
//! The generated descriptions and warnings are English in every locale, because they are sentences
//! that cannot be assembled from translated words.

mod languages;
mod nouns;
mod omissions;
mod terms;

pub use omissions::Omission;
pub use terms::Term;

use languages::{LANGUAGES, Translations};
use nouns::{NounForms, find_noun_forms};
use omissions::find_omission_translations;
use terms::find_translations;

use crate::format::locale::Locale;

impl Term {
    /// Returns whether a text, which must be in lower case, is the term in any of the languages.
    pub fn is_translation(self, text: &str) -> bool {
        find_translations(self).iter().any(|translation| translation.to_lowercase() == text)
    }
}

impl Locale {
    /// Returns the translation of a term.
    pub fn translate(self, term: Term) -> &'static str {
        self.select(&find_translations(term))
    }

    /// Returns the words before the numbers and reasons of omitted records, such as "Not shown:".
    pub fn not_shown(self) -> &'static str {
        const NOT_SHOWN: Translations = [
            "Not shown:",
            "Nicht dargestellt:",
            "Non représentés :",
            "Sin mostrar:",
            "Non mostrati:",
            "Não mostrados:",
            "Niet getoond:",
            "Nie pokazano:",
            "Visas inte:",
            "Ikke vist:",
            "非表示:",
            "未显示:",
            "未顯示:",
            "표시되지 않음:",
            "לא מוצגים:",
            "غير معروض:",
        ];
        self.select(&NOT_SHOWN)
    }

    /// Returns a number with the reason of an omission, such as "3 without a valid date". If the
    /// omission is not about whole records, the number comes last, such as "Missing values: 3".
    /// Reasons without a number, such as rounding, ignore `count`.
    pub fn format_omission(self, omission: Omission, count: usize) -> String {
        let phrase = self.select(&find_omission_translations(omission));
        let phrase = self.localize_digits(phrase.replace('%', self.percent_sign));
        let count = self.format_integer(count);
        match omission.concerns_records() {
            _ if omission.is_uncounted() => phrase,
            _ if phrase.contains("{}") => phrase.replace("{}", &count),
            true => format!("{count} {phrase}"),
            false => format!("{phrase} {count}"),
        }
    }

    /// Returns the comma and the space between parts of a sentence.
    pub fn list_separator(self) -> &'static str {
        const SEPARATORS: Translations = [
            ", ", ", ", ", ", ", ", ", ", ", ", ", ", ", ", ", ", ", ", "、", "、", "、", ", ",
            ", ", "، ",
        ];
        self.select(&SEPARATORS)
    }

    /// Returns the text between two numbers of a label, such as ` · `, with spaces on both sides.
    pub fn number_separator(self) -> &'static str {
        // The Arabic digit zero is a dot.
        if self.zero_digit == '0' { " · " } else { " | " }
    }

    /// Returns the full stop and the space between two sentences.
    pub fn sentence_separator(self) -> &'static str {
        const SEPARATORS: Translations = [
            ". ", ". ", ". ", ". ", ". ", ". ", ". ", ". ", ". ", ". ", "。", "。", "。", ". ",
            ". ", ". ",
        ];
        self.select(&SEPARATORS)
    }

    /// Returns the name of a quarter of a year, 1 to 4, such as "Q1".
    pub fn format_quarter(self, quarter: u32) -> String {
        const QUARTERS: Translations = [
            "Q{}",
            "Q{}",
            "T{}",
            "T{}",
            "T{}",
            "T{}",
            "K{}",
            "Q{}",
            "K{}",
            "K{}",
            "Q{}",
            "{}季度",
            "第{}季",
            "{}분기",
            "רבעון {}",
            "الربع {}",
        ];
        self.select(&QUARTERS).replace("{}", &self.format_integer(quarter))
    }

    /// Returns the name of a week of a year, 1 to 53, such as "W14".
    pub fn format_week(self, week: u32) -> String {
        const WEEKS: Translations = [
            "W{}",
            "KW\u{a0}{}",
            "S{}",
            "S{}",
            "S{}",
            "S{}",
            "W{}",
            "T{}",
            "v.{}",
            "u.{}",
            "第{}週",
            "第{}周",
            "第{}週",
            "{}주",
            "שבוע {}",
            "الأسبوع {}",
        ];
        self.select(&WEEKS).replace("{}", &self.format_integer(week))
    }

    /// Returns the colon between a name and a text: with a space before it in French.
    pub fn colon(self) -> &'static str {
        if self.select(&LANGUAGES) == "fr" { "\u{a0}:" } else { ":" }
    }

    /// Returns a note such as "and 3 more tasks", with the number in the digits of the language.
    ///
    /// `noun` is the English noun in the singular, or empty. A noun without translations stays
    /// English.
    pub fn overflow_note(self, count: usize, noun: &str) -> String {
        self.format_note(&[self.format_count(count, noun)])
    }

    /// Returns a note such as "and 3 more rows, 1 more column" for several counts with their nouns.
    ///
    /// Counts of zero are left out. At least one count must be above zero.
    pub fn overflow_note_for_counts(self, counts: &[(usize, &str)]) -> String {
        let counts = counts.iter().filter(|(count, _)| *count > 0);
        let parts: Vec<String> =
            counts.map(|(count, noun)| self.format_count(*count, noun)).collect();
        self.format_note(&parts)
    }

    /// Returns a note such as "and 3 more rows, 1 more column" from the results of
    /// [`Self::format_count`].
    fn format_note(self, counts: &[String]) -> String {
        const AND_MORE: Translations = [
            "and {}",
            "und noch {}",
            "et {} de plus",
            "y {} más",
            "e {} in più",
            "e mais {}",
            "en nog {}",
            "i jeszcze {}",
            "och {} till",
            "og {} til",
            "ほか{}",
            "另有{}",
            "另有{}",
            "그 외 {}",
            "בנוסף: {}",
            "وغيرها: {}",
        ];
        self.select(&AND_MORE).replace("{}", &counts.join(self.list_separator()))
    }

    /// Formats a number and its noun, such as "3 more rows" in English and "3 Zeilen" in German.
    /// Only English has "more" here, because `format_note` adds its translations around the result.
    ///
    /// `noun` is the English singular, or empty. A noun without translation stays English, with an
    /// "s" unless `count` is 1.
    fn format_count(self, count: usize, noun: &str) -> String {
        let number = self.format_integer(count);
        let form = match find_noun_forms(noun) {
            Some(forms) => self.select_plural_form(count, &forms).to_owned(),
            None if count == 1 => noun.to_owned(),
            None => format!("{noun}s"),
        };
        match self.select(&LANGUAGES) {
            _ if form.contains("{}") => form.replace("{}", &number),
            "en" => format!("{number} more {form}").trim_end().to_owned(),
            // These forms are not right for every number right after it.
            "he" | "ar" => format!("{form} ({number})"),
            _ => format!("{number} {form}").trim_end().to_owned(),
        }
    }

    /// Formats a number of items and their total with a noun, such as "3 of 12 categories".
    ///
    /// `total` selects singular or plural. Polish always uses the form for many, because it is the
    /// genitive.
    ///
    /// `noun` is the English noun in the singular. It must have translations in `find_noun_forms`,
    /// because any other noun is left out of the text.
    pub fn count_of_total(self, count: usize, total: usize, noun: &str) -> String {
        const PATTERNS: Translations = [
            "{count} of {total} {noun}",
            "{count} von {total} {noun}",
            "{count} sur {total} {noun}",
            "{count} de {total} {noun}",
            "{count} su {total} {noun}",
            "{count} de {total} {noun}",
            "{count} van {total} {noun}",
            "{count} z {total} {noun}",
            "{count} av {total} {noun}",
            "{count} af {total} {noun}",
            "{noun}中{count}件",
            "{noun}中的{count}个",
            "{noun}中的{count}個",
            "{noun} 중 {count}개",
            "{noun}: {count} מתוך {total}",
            "{noun}: {count} من {total}",
        ];
        // After "of", Polish nouns are in the genitive, which the form for many is.
        let is_one = total == 1 && self.select(&LANGUAGES) != "pl";
        let noun = find_noun_forms(noun).map_or("", |forms| self.select_form(is_one, &forms));
        let [count, total] = [count, total].map(|number| self.format_integer(number));
        self.select(&PATTERNS)
            .replace("{noun}", &noun.replace("{}", &total))
            .replace("{count}", &count)
            .replace("{total}", &total)
    }

    /// Returns the form of a noun for a number: the singular for 1 if the language has one, in
    /// Polish the form for numbers such as 2, 4 and 22 but not 12, and otherwise the plural. A form
    /// may contain `{}`, which the caller must replace by the number.
    fn select_plural_form(self, count: usize, forms: &NounForms) -> &'static str {
        let is_few = matches!(count % 10, 2..=4) && !matches!(count % 100, 12..=14);
        if is_few && self.select(&LANGUAGES) == "pl" {
            return forms.few;
        }
        self.select_form(count == 1, forms)
    }

    /// Returns the singular of a noun if the language has one and `is_one`, otherwise the plural.
    /// Never returns the Polish form for few.
    fn select_form(self, is_one: bool, forms: &NounForms) -> &'static str {
        let singular = forms.one.get(self.language_index()).filter(|_| is_one);
        singular.copied().unwrap_or_else(|| self.select(&forms.many))
    }

    /// Returns the index of the language in [`LANGUAGES`]. English if the language is unknown.
    pub(crate) fn language_index(self) -> usize {
        let find = |tag: &str| LANGUAGES.iter().position(|candidate| *candidate == tag);
        let language = || find(self.tag.split('-').next().unwrap_or(""));
        find(self.tag).or_else(language).unwrap_or(0)
    }

    /// Returns the translation in this language, or in English if the language has none.
    fn select(self, translations: &Translations) -> &'static str {
        translations.get(self.language_index()).copied().unwrap_or("")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn more(tag: &str, count: usize, noun: &str) -> String {
        Locale::parse(tag).overflow_note(count, noun)
    }

    #[test]
    fn terms_depend_on_the_language_and_not_on_the_region() {
        assert_eq!(Locale::parse("de-CH").translate(Term::NoData), "Keine Daten");
        assert_eq!(Locale::parse("en-US").translate(Term::NoData), "No data");
        assert_eq!(Locale::parse("fr-CA").translate(Term::Median), "Médiane");
        assert_eq!(Locale::parse("xx").translate(Term::Total), "Total");
    }

    #[test]
    fn every_language_has_a_locale_and_a_column() {
        for tag in LANGUAGES {
            assert_eq!(Locale::parse(tag).tag, tag);
            assert_eq!(LANGUAGES[Locale::parse(tag).language_index()], tag);
        }
    }

    #[test]
    fn every_language_has_all_words() {
        let check = |words: Translations, name: &str| {
            assert!(words.iter().all(|word| !word.trim().is_empty()), "{name}: {words:?}");
            // A missing word would be English, and Hebrew and Arabic words have their own letters.
            for (language, word) in LANGUAGES.iter().zip(words) {
                let has_own_script = word.chars().any(|c| c.is_alphabetic() && c > '\u{500}');
                let is_other_script = ["ja", "zh", "zh-TW", "ko", "he", "ar"].contains(language);
                let is_shared = name == "To";
                assert!(
                    has_own_script == is_other_script || is_shared,
                    "{name} {language}: {word}"
                );
            }
        };
        for term in terms::ALL {
            check(find_translations(term), &format!("{term:?}"));
        }
        for omission in omissions::ALL {
            let words = find_omission_translations(omission);
            check(words, &format!("{omission:?}"));
            let has_place = |word: &&str| word.contains("{}");
            let places = words.iter().skip(10).filter(|word| has_place(word)).count();
            assert_eq!(places, if omission.is_uncounted() { 0 } else { 6 }, "{omission:?}");
        }
        for noun in ["task", "row", "column", "figure", "dial", "risk", "category", "option"] {
            let forms = find_noun_forms(noun).expect(noun);
            check(forms.many, noun);
            assert!(forms.one.iter().all(|word| !word.is_empty()) && !forms.few.is_empty());
        }
    }

    #[test]
    fn notes_of_languages_without_plural_forms_are_right_for_every_number() {
        assert_eq!(more("ja", 3, "task"), "ほかタスク3件");
        assert_eq!(more("ja", 3, ""), "ほか3件");
        assert_eq!(more("zh", 1, "risk"), "另有1项风险");
        assert_eq!(more("zh-HK", 4, "column"), "另有4欄");
        assert_eq!(more("ko", 12, "option"), "그 외 선택지 12개");
        assert_eq!(more("he", 1, "row"), "בנוסף: שורות (1)");
        assert_eq!(more("he", 7, ""), "בנוסף: 7");
        assert_eq!(more("ar", 12, "task"), "وغيرها: مهام (١٢)");
        assert_eq!(more("ar-MA", 12, "task"), "وغيرها: مهام (12)");
        let table = |tag| Locale::parse(tag).overflow_note_for_counts(&[(4, "row"), (1, "column")]);
        assert_eq!(table("ja"), "ほか4行、1列");
        assert_eq!(table("ar"), "وغيرها: صفوف (٤)، أعمدة (١)");
        let of = |tag| Locale::parse(tag).count_of_total(3, 12, "category");
        assert_eq!(of("ja"), "カテゴリー12件中3件");
        assert_eq!(of("zh"), "12个类别中的3个");
        assert_eq!(of("ko"), "범주 12개 중 3개");
        assert_eq!(of("he"), "קטגוריות: 3 מתוך 12");
        assert_eq!(of("ar"), "فئات: ٣ من ١٢");
    }

    #[test]
    fn omissions_have_their_number_where_the_language_puts_it() {
        let text = |tag, omission| Locale::parse(tag).format_omission(omission, 15);
        assert_eq!(text("en", Omission::NoDate), "15 without a valid date");
        assert_eq!(text("de", Omission::Name), "Gekürzte oder fehlende Namen: 15");
        assert_eq!(text("ja", Omission::NoDate), "有効な日付なし 15件");
        assert_eq!(text("ar", Omission::BelowZero), "أقل من الصفر: ١٥");
        assert_eq!(text("ar-AE", Omission::BelowZero), "أقل من الصفر: 15");
        assert!(text("ar", Omission::Rounding).contains("١٠٠٪\u{61c}"));
        assert!(text("he", Omission::Rounding).contains("100%"));
    }

    #[test]
    fn overflow_notes_count_with_a_noun() {
        assert_eq!(more("en", 1, "task"), "and 1 more task");
        assert_eq!(more("en", 3, "task"), "and 3 more tasks");
        assert_eq!(more("en", 3, ""), "and 3 more");
        assert_eq!(more("de", 1, "task"), "und noch 1 Aufgabe");
        assert_eq!(more("de", 3, ""), "und noch 3");
        assert_eq!(more("fr", 4, "row"), "et 4 lignes de plus");
        assert_eq!(more("sv", 2, "option"), "och 2 alternativ till");
        assert_eq!(more("en", 2, "gadget"), "and 2 more gadgets");
    }

    #[test]
    fn polish_has_a_form_for_few() {
        let forms = [1, 2, 5, 12, 22, 25].map(|count| more("pl", count, "task"));
        let ends = forms.map(|form| form.rsplit(' ').next().unwrap().to_owned());
        assert_eq!(ends, ["zadanie", "zadania", "zadań", "zadań", "zadania", "zadań"]);
    }

    #[test]
    fn several_counts_share_one_note() {
        let table = |tag: &str, counts: [usize; 2]| {
            Locale::parse(tag)
                .overflow_note_for_counts(&[(counts[0], "row"), (counts[1], "column")])
        };
        assert_eq!(table("en", [4, 1]), "and 4 more rows, 1 more column");
        assert_eq!(table("en", [0, 2]), "and 2 more columns");
        assert_eq!(Locale::parse("en").count_of_total(3, 12, "category"), "3 of 12 categories");
        assert_eq!(Locale::parse("pl").count_of_total(1, 4, "category"), "1 z 4 kategorii");
        assert_eq!(table("it", [4, 1]), "e 4 righe, 1 colonna in più");
    }
}
