//! The fixed words that pictures show, in every language that numbers and dates are written in.
//!
//! Here is only what stands in the picture. The generated description and the warnings are whole
//! sentences with a grammar of their own, and stay English.

use crate::format::Locale;

/// The languages, in the order of the columns below.
const LANGUAGES: [&str; 10] = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da"];

/// A word in each of [`LANGUAGES`].
type Row = [&'static str; 10];

/// A word that a picture shows when the document names nothing else.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Word {
    /// Stands alone in a picture without readable records.
    NoData,
    /// What is joined because it is small.
    Other,
    /// All together, over a column of figures.
    Total,
    /// All together, of points that were given.
    Sum,
    /// What is to be reached.
    Target,
    /// What was measured.
    Value,
    /// The arithmetic mean.
    Mean,
    /// The middle of all values.
    Median,
    /// Steps upwards.
    Increase,
    /// Steps downwards.
    Decrease,
    /// The earlier of two times.
    Before,
    /// The later of two times.
    After,
    /// What has become of a plan.
    Actual,
    /// What was to become.
    Planned,
    /// The present day.
    Today,
    /// The lower of two assumptions.
    Low,
    /// The higher of two assumptions.
    High,
    /// The value without either assumption.
    Base,
    /// How likely a risk is.
    Probability,
    /// How grave a risk is.
    Impact,
    /// What helps, from within.
    Strengths,
    /// What harms, from within.
    Weaknesses,
    /// What helps, from without.
    Opportunities,
    /// What harms, from without.
    Threats,
    /// An empty circle: a criterion is not met.
    NotAtAll,
    /// A full circle: a criterion is met.
    Fully,
    /// Before the number of seats that decide.
    Majority,
    /// Before the number of seats that a dot stands for.
    OneDot,
    /// Before what an icon stands for.
    OneIcon,
    /// Between the ends of a range.
    To,
    /// Before the number of a quarter of a year.
    Quarter,
}

/// Something that is counted: in the singular, for a few, for many. Only Polish has a form for a
/// few.
struct Noun {
    one: Row,
    few: Option<&'static str>,
    many: Row,
}

impl Locale {
    /// The word in this language.
    pub fn word(self, word: Word) -> &'static str {
        self.of(&row(word))
    }

    /// The note "and 3 more tasks". `noun` is the English word for one of them, or empty.
    pub fn more(self, count: usize, noun: &str) -> String {
        self.and_more(&[self.counted(count, noun)])
    }

    /// The note "and 3 more rows, 1 more column", of counts with their nouns; counts of zero are
    /// left out.
    pub fn more_of(self, counts: &[(usize, &str)]) -> String {
        let counts = counts.iter().filter(|it| it.0 > 0);
        let counted: Vec<String> = counts.map(|it| self.counted(it.0, it.1)).collect();
        self.and_more(&counted)
    }

    fn and_more(self, counted: &[String]) -> String {
        const AND_MORE: Row = [
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
        ];
        self.of(&AND_MORE).replace("{}", &counted.join(", "))
    }

    /// A number and the form of the noun that goes with it; in English with "more" between them.
    fn counted(self, count: usize, noun: &str) -> String {
        let number = if self.language() == 0 { format!("{count} more") } else { count.to_string() };
        let form = match find_noun(noun) {
            Some(noun) => self.form(count, &noun),
            // A noun that is not known here stands in English.
            None if count == 1 || noun.is_empty() => noun.to_owned(),
            None => format!("{noun}s"),
        };
        format!("{number} {form}").trim_end().to_owned()
    }

    fn form(self, count: usize, noun: &Noun) -> String {
        let is_few = matches!(count % 10, 2..=4) && !matches!(count % 100, 12..=14);
        let few = noun.few.filter(|_| is_few && self.of(&LANGUAGES) == "pl");
        let one = if count == 1 { &noun.one } else { &noun.many };
        few.unwrap_or_else(|| self.of(one)).to_owned()
    }

    /// The column of this language.
    fn language(self) -> usize {
        let language = self.tag.split('-').next().unwrap_or("");
        LANGUAGES.iter().position(|it| *it == language).unwrap_or(0)
    }

    fn of(self, row: &Row) -> &'static str {
        row.get(self.language()).copied().unwrap_or("")
    }
}

#[rustfmt::skip]
fn row(word: Word) -> Row {
    match word {
        Word::NoData => ["No data", "Keine Daten", "Aucune donnée", "Sin datos", "Nessun dato", "Sem dados", "Geen gegevens", "Brak danych", "Inga data", "Ingen data"],
        Word::Other => ["Other", "Sonstige", "Autres", "Otros", "Altri", "Outros", "Overige", "Pozostałe", "Övrigt", "Øvrige"],
        Word::Total => ["Total", "Gesamt", "Total", "Total", "Totale", "Total", "Totaal", "Razem", "Totalt", "I alt"],
        Word::Sum => ["Sum", "Summe", "Somme", "Suma", "Somma", "Soma", "Som", "Suma", "Summa", "Sum"],
        Word::Target => ["Target", "Ziel", "Objectif", "Objetivo", "Obiettivo", "Meta", "Doel", "Cel", "Mål", "Mål"],
        Word::Value => ["Value", "Wert", "Valeur", "Valor", "Valore", "Valor", "Waarde", "Wartość", "Värde", "Værdi"],
        Word::Mean => ["Mean", "Mittelwert", "Moyenne", "Media", "Media", "Média", "Gemiddelde", "Średnia", "Medelvärde", "Gennemsnit"],
        Word::Median => ["Median", "Median", "Médiane", "Mediana", "Mediana", "Mediana", "Mediaan", "Mediana", "Median", "Median"],
        Word::Increase => ["Increase", "Zunahme", "Hausse", "Aumento", "Aumento", "Aumento", "Toename", "Wzrost", "Ökning", "Stigning"],
        Word::Decrease => ["Decrease", "Abnahme", "Baisse", "Descenso", "Diminuzione", "Diminuição", "Afname", "Spadek", "Minskning", "Fald"],
        Word::Before => ["Before", "Vorher", "Avant", "Antes", "Prima", "Antes", "Voor", "Przed", "Före", "Før"],
        Word::After => ["After", "Nachher", "Après", "Después", "Dopo", "Depois", "Na", "Po", "Efter", "Efter"],
        Word::Actual => ["Actual", "Ist", "Réel", "Real", "Effettivo", "Real", "Werkelijk", "Wykonanie", "Utfall", "Faktisk"],
        Word::Planned => ["Planned", "Plan", "Prévu", "Previsto", "Previsto", "Previsto", "Gepland", "Plan", "Plan", "Planlagt"],
        Word::Today => ["Today", "Heute", "Aujourd’hui", "Hoy", "Oggi", "Hoje", "Vandaag", "Dziś", "I dag", "I dag"],
        Word::Low => ["Low", "Niedrig", "Bas", "Bajo", "Basso", "Baixo", "Laag", "Niski", "Låg", "Lav"],
        Word::High => ["High", "Hoch", "Haut", "Alto", "Alto", "Alto", "Hoog", "Wysoki", "Hög", "Høj"],
        Word::Base => ["Base", "Basis", "Base", "Base", "Base", "Base", "Basis", "Baza", "Bas", "Basis"],
        Word::Probability => ["Probability", "Wahrscheinlichkeit", "Probabilité", "Probabilidad", "Probabilità", "Probabilidade", "Waarschijnlijkheid", "Prawdopodobieństwo", "Sannolikhet", "Sandsynlighed"],
        Word::Impact => ["Impact", "Auswirkung", "Impact", "Impacto", "Impatto", "Impacto", "Impact", "Skutki", "Konsekvens", "Konsekvens"],
        Word::Strengths => ["Strengths", "Stärken", "Forces", "Fortalezas", "Punti di forza", "Forças", "Sterktes", "Mocne strony", "Styrkor", "Styrker"],
        Word::Weaknesses => ["Weaknesses", "Schwächen", "Faiblesses", "Debilidades", "Punti di debolezza", "Fraquezas", "Zwaktes", "Słabe strony", "Svagheter", "Svagheder"],
        Word::Opportunities => ["Opportunities", "Chancen", "Opportunités", "Oportunidades", "Opportunità", "Oportunidades", "Kansen", "Szanse", "Möjligheter", "Muligheder"],
        Word::Threats => ["Threats", "Risiken", "Menaces", "Amenazas", "Minacce", "Ameaças", "Bedreigingen", "Zagrożenia", "Hot", "Trusler"],
        Word::NotAtAll => ["not at all", "gar nicht", "pas du tout", "nada", "per nulla", "nada", "helemaal niet", "wcale", "inte alls", "slet ikke"],
        Word::Fully => ["fully", "voll", "entièrement", "totalmente", "del tutto", "totalmente", "volledig", "w pełni", "helt", "fuldt ud"],
        Word::Majority => ["majority", "Mehrheit", "majorité", "mayoría", "maggioranza", "maioria", "meerderheid", "większość", "majoritet", "flertal"],
        Word::OneDot => ["1 dot is", "1 Punkt =", "1 point =", "1 punto =", "1 punto =", "1 ponto =", "1 stip =", "1 punkt =", "1 punkt =", "1 prik ="],
        Word::OneIcon => ["One icon =", "Ein Symbol =", "Un symbole =", "Un icono =", "Un’icona =", "Um ícone =", "Eén symbool =", "Jeden symbol =", "En symbol =", "Et symbol ="],
        Word::To => ["to", "bis", "à", "a", "a", "a", "tot", "do", "till", "til"],
        Word::Quarter => ["Q", "Q", "T", "T", "T", "T", "K", "Q", "K", "K"],
    }
}

#[rustfmt::skip]
fn find_noun(english: &str) -> Option<Noun> {
    let (one, few, many): (Row, &str, Row) = match english {
        "task" => (["task", "Aufgabe", "tâche", "tarea", "attività", "tarefa", "taak", "zadanie", "uppgift", "opgave"], "zadania", ["tasks", "Aufgaben", "tâches", "tareas", "attività", "tarefas", "taken", "zadań", "uppgifter", "opgaver"]),
        "row" => (["row", "Zeile", "ligne", "fila", "riga", "linha", "rij", "wiersz", "rad", "række"], "wiersze", ["rows", "Zeilen", "lignes", "filas", "righe", "linhas", "rijen", "wierszy", "rader", "rækker"]),
        "column" => (["column", "Spalte", "colonne", "columna", "colonna", "coluna", "kolom", "kolumna", "kolumn", "kolonne"], "kolumny", ["columns", "Spalten", "colonnes", "columnas", "colonne", "colunas", "kolommen", "kolumn", "kolumner", "kolonner"]),
        "figure" => (["figure", "Kennzahl", "indicateur", "indicador", "indicatore", "indicador", "kerncijfer", "wskaźnik", "nyckeltal", "nøgletal"], "wskaźniki", ["figures", "Kennzahlen", "indicateurs", "indicadores", "indicatori", "indicadores", "kerncijfers", "wskaźników", "nyckeltal", "nøgletal"]),
        "dial" => (["dial", "Anzeige", "cadran", "medidor", "quadrante", "mostrador", "meter", "wskaźnik", "mätare", "måler"], "wskaźniki", ["dials", "Anzeigen", "cadrans", "medidores", "quadranti", "mostradores", "meters", "wskaźników", "mätare", "målere"]),
        "risk" => (["risk", "Risiko", "risque", "riesgo", "rischio", "risco", "risico", "ryzyko", "risk", "risiko"], "ryzyka", ["risks", "Risiken", "risques", "riesgos", "rischi", "riscos", "risico’s", "ryzyk", "risker", "risici"]),
        "option" => (["option", "Option", "option", "opción", "opzione", "opção", "optie", "opcja", "alternativ", "mulighed"], "opcje", ["options", "Optionen", "options", "opciones", "opzioni", "opções", "opties", "opcji", "alternativ", "muligheder"]),
        _ => return None,
    };
    Some(Noun { one, few: Some(few), many })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn more(tag: &str, count: usize, noun: &str) -> String {
        Locale::parse(tag).more(count, noun)
    }

    #[test]
    fn words_follow_the_language_and_not_the_region() {
        assert_eq!(Locale::parse("de-CH").word(Word::NoData), "Keine Daten");
        assert_eq!(Locale::parse("en-US").word(Word::NoData), "No data");
        assert_eq!(Locale::parse("fr-CA").word(Word::Median), "Médiane");
        assert_eq!(Locale::parse("xx").word(Word::Total), "Total");
    }

    #[test]
    fn every_language_of_numbers_has_its_column() {
        for tag in LANGUAGES {
            assert_eq!(Locale::parse(tag).tag, tag);
            assert_eq!(LANGUAGES[Locale::parse(tag).language()], tag);
        }
    }

    #[test]
    fn what_is_left_out_is_counted_with_its_noun() {
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
    fn polish_has_a_form_for_a_few() {
        let forms = [1, 2, 5, 12, 22, 25].map(|it| more("pl", it, "task"));
        let ends = forms.map(|it| it.rsplit(' ').next().unwrap().to_owned());
        assert_eq!(ends, ["zadanie", "zadania", "zadań", "zadań", "zadania", "zadań"]);
    }

    #[test]
    fn several_counts_share_a_note() {
        let table = |tag: &str, counts: [usize; 2]| {
            Locale::parse(tag).more_of(&[(counts[0], "row"), (counts[1], "column")])
        };
        assert_eq!(table("en", [4, 1]), "and 4 more rows, 1 more column");
        assert_eq!(table("en", [0, 2]), "and 2 more columns");
        assert_eq!(table("it", [4, 1]), "e 4 righe, 1 colonna in più");
    }
}
