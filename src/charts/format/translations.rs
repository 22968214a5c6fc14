//! Translations of the fixed terms that appear in images.
//!
//! The generated descriptions and warnings are English in every locale, because they are sentences
//! that cannot be assembled from translated words.

use crate::format::locale::Locale;

/// Languages, in the order of the columns below.
const LANGUAGES: [&str; 10] = ["en", "de", "fr", "es", "it", "pt", "nl", "pl", "sv", "da"];

/// A text in each of [`LANGUAGES`].
type Translations = [&'static str; 10];

/// A term that an image shows unless the chart names another text.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Term {
    /// Shown alone in an image without usable records.
    NoData,
    /// Small parts that are combined into one.
    Other,
    /// Heading or label of a total.
    Total,
    /// Sum of points.
    Sum,
    /// Value to be reached.
    Target,
    /// Measured value.
    Value,
    /// Arithmetic mean.
    Mean,
    /// Median.
    Median,
    /// Steps upwards.
    Increase,
    /// Steps downwards.
    Decrease,
    /// Earlier of two times.
    Before,
    /// Later of two times.
    After,
    /// Actual progress, as opposed to the plan.
    Actual,
    /// Planned progress.
    Planned,
    /// Current day.
    Today,
    /// Lower of two assumptions.
    Low,
    /// Higher of two assumptions.
    High,
    /// Value without either assumption.
    Base,
    /// Probability of a risk.
    Probability,
    /// Impact of a risk.
    Impact,
    /// Internal factors that help.
    Strengths,
    /// Internal factors that harm.
    Weaknesses,
    /// External factors that help.
    Opportunities,
    /// External factors that harm.
    Threats,
    /// Meaning of an empty circle: a criterion is not met.
    NotAtAll,
    /// Meaning of a full circle: a criterion is met.
    Fully,
    /// Before the number of seats that form a majority.
    Majority,
    /// Before the number of seats that a dot stands for.
    OneDot,
    /// Before the amount that an icon stands for.
    OneIcon,
    /// Between the ends of a range.
    To,
    /// Before the number of a quarter of a year.
    Quarter,
    /// Share of a value and all larger ones in the total.
    CumulativeShare,
    /// Between a number and the total that it is part of.
    Of,
    /// Difference of two values.
    Difference,
    /// Difference between the actual and the planned value.
    Variance,
    /// Expected values.
    Forecast,
    /// Values between a lower and an upper limit.
    Range,
    /// Width of a column.
    Width,
    /// Sum of all records of a day.
    DailySum,
    /// Arithmetic mean of all records of a day.
    DailyMean,
    /// Highest of all records of a day.
    DailyMaximum,
}

/// A reason why an image leaves something out that the data has.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Omission {
    /// Records without a date that can be read.
    NoDate,
    /// Records without a value that can be read.
    NoValue,
    /// Records that lack another column, such as the target of a flow.
    Incomplete,
    /// Records with the value 0 in a chart of shares or areas.
    Zero,
    /// Records below zero in a chart of shares or areas.
    BelowZero,
    /// Values that are not above zero, on a logarithmic axis.
    NotOnLogAxis,
    /// Records with a share smaller than the smallest mark.
    TooSmall,
    /// Records outside the range of an axis.
    OutOfRange,
    /// Records with a place or field that the chart does not have.
    Unknown,
    /// Records with a place outside the part of the world that a map shows.
    OffMap,
    /// Records that repeat another one.
    Duplicate,
    /// Flows that lead back to where they came from.
    Cyclic,
    /// Records without space on the canvas.
    NoSpace,
    /// Series without space on the canvas.
    Series,
    /// Shares with printed percentages that do not add up to 100.
    Rounding,
    /// Missing values in sums and shares. The records are drawn without them.
    MissingValue,
    /// Names of marks that are shortened or left out for lack of space. The marks are drawn.
    Name,
    /// Dots that may cover each other. All of them are drawn.
    Overlap,
    /// Numbers of overlaps of sets that contradict the numbers of the sets. The areas are drawn.
    Contradiction,
    /// Numbers with decimals that whole dots stand for. The labels are exact.
    WholeDots,
}

/// Plural forms of a noun.
struct NounForms {
    one: Translations,
    /// Polish form for numbers that end in 2, 3 or 4, except in 12, 13 or 14. The other languages
    /// have no such form.
    few: &'static str,
    many: Translations,
}

impl Omission {
    /// Returns whether the note about it has no number.
    pub fn is_uncounted(self) -> bool {
        matches!(self, Omission::Rounding | Omission::WholeDots)
    }

    /// Returns whether records or series are not drawn, as opposed to their names or some values.
    pub fn concerns_records(self) -> bool {
        !matches!(
            self,
            Omission::Rounding
                | Omission::MissingValue
                | Omission::Name
                | Omission::Overlap
                | Omission::Contradiction
                | Omission::WholeDots
        )
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
        ];
        self.select(&NOT_SHOWN)
    }

    /// Returns the reason of an omission as it follows a number, such as "without a valid date".
    /// The words for an omission that is no record precede the number.
    pub fn describe_omission(self, omission: Omission) -> &'static str {
        self.select(&find_omission_translations(omission))
    }

    /// Returns the colon between a name and a text: with a space before it in French.
    pub fn colon(self) -> &'static str {
        const COLONS: Translations = [":", ":", "\u{a0}:", ":", ":", ":", ":", ":", ":", ":"];
        self.select(&COLONS)
    }

    /// Returns a note such as "and 3 more tasks".
    ///
    /// `noun` is the English noun in the singular, or empty.
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
        ];
        self.select(&AND_MORE).replace("{}", &counts.join(", "))
    }

    /// Formats a number and its noun, in English with "more" between them. A noun without
    /// translation stays English and gets an "s" in the plural.
    fn format_count(self, count: usize, noun: &str) -> String {
        let number =
            if self.language_index() == 0 { format!("{count} more") } else { count.to_string() };
        let form = match find_noun_forms(noun) {
            Some(forms) => self.select_plural_form(count, &forms).to_owned(),
            None if count == 1 || noun.is_empty() => noun.to_owned(),
            None => format!("{noun}s"),
        };
        format!("{number} {form}").trim_end().to_owned()
    }

    /// Returns a number of items and their total with a noun, such as "3 of 12 categories".
    ///
    /// `noun` is the English noun in the singular, which must have translations.
    pub fn count_of_total(self, count: usize, total: usize, noun: &str) -> String {
        let of = self.translate(Term::Of);
        // After "of", Polish nouns are in the genitive, which the form for many is.
        let is_one = total == 1 && self.select(&LANGUAGES) != "pl";
        let form = find_noun_forms(noun)
            .map_or("", |forms| self.select(if is_one { &forms.one } else { &forms.many }));
        format!("{count} {of} {total} {form}").trim_end().to_owned()
    }

    /// Returns the form of a noun for a number.
    fn select_plural_form(self, count: usize, forms: &NounForms) -> &'static str {
        let is_few = matches!(count % 10, 2..=4) && !matches!(count % 100, 12..=14);
        if is_few && self.select(&LANGUAGES) == "pl" {
            return forms.few;
        }
        self.select(if count == 1 { &forms.one } else { &forms.many })
    }

    /// Returns the index of the language in [`LANGUAGES`]. English if the language is unknown.
    pub(crate) fn language_index(self) -> usize {
        let language = self.tag.split('-').next().unwrap_or("");
        LANGUAGES.iter().position(|candidate| *candidate == language).unwrap_or(0)
    }

    /// Returns the translation in this language.
    fn select(self, translations: &Translations) -> &'static str {
        translations.get(self.language_index()).copied().unwrap_or("")
    }
}

/// Returns a term in all languages.
#[rustfmt::skip]
fn find_translations(term: Term) -> Translations {
    match term {
        Term::NoData => ["No data", "Keine Daten", "Aucune donnée", "Sin datos", "Nessun dato", "Sem dados", "Geen gegevens", "Brak danych", "Inga data", "Ingen data"],
        Term::Other => ["Other", "Sonstige", "Autres", "Otros", "Altri", "Outros", "Overige", "Pozostałe", "Övrigt", "Øvrige"],
        Term::Total => ["Total", "Gesamt", "Total", "Total", "Totale", "Total", "Totaal", "Razem", "Totalt", "I alt"],
        Term::Sum => ["Sum", "Summe", "Somme", "Suma", "Somma", "Soma", "Som", "Suma", "Summa", "Sum"],
        Term::Target => ["Target", "Ziel", "Objectif", "Objetivo", "Obiettivo", "Meta", "Doel", "Cel", "Mål", "Mål"],
        Term::Value => ["Value", "Wert", "Valeur", "Valor", "Valore", "Valor", "Waarde", "Wartość", "Värde", "Værdi"],
        Term::Mean => ["Mean", "Mittelwert", "Moyenne", "Media", "Media", "Média", "Gemiddelde", "Średnia", "Medelvärde", "Gennemsnit"],
        Term::Median => ["Median", "Median", "Médiane", "Mediana", "Mediana", "Mediana", "Mediaan", "Mediana", "Median", "Median"],
        Term::Increase => ["Increase", "Zunahme", "Hausse", "Aumento", "Aumento", "Aumento", "Toename", "Wzrost", "Ökning", "Stigning"],
        Term::Decrease => ["Decrease", "Abnahme", "Baisse", "Descenso", "Diminuzione", "Diminuição", "Afname", "Spadek", "Minskning", "Fald"],
        Term::Before => ["Before", "Vorher", "Avant", "Antes", "Prima", "Antes", "Voor", "Przed", "Före", "Før"],
        Term::After => ["After", "Nachher", "Après", "Después", "Dopo", "Depois", "Na", "Po", "Efter", "Efter"],
        Term::Actual => ["Actual", "Ist", "Réel", "Real", "Effettivo", "Real", "Werkelijk", "Wykonanie", "Utfall", "Faktisk"],
        Term::Planned => ["Planned", "Plan", "Prévu", "Previsto", "Previsto", "Previsto", "Gepland", "Plan", "Plan", "Planlagt"],
        Term::Today => ["Today", "Heute", "Aujourd’hui", "Hoy", "Oggi", "Hoje", "Vandaag", "Dziś", "I dag", "I dag"],
        Term::Low => ["Low", "Niedrig", "Bas", "Bajo", "Basso", "Baixo", "Laag", "Niski", "Låg", "Lav"],
        Term::High => ["High", "Hoch", "Haut", "Alto", "Alto", "Alto", "Hoog", "Wysoki", "Hög", "Høj"],
        Term::Base => ["Base", "Basis", "Base", "Base", "Base", "Base", "Basis", "Baza", "Bas", "Basis"],
        Term::Probability => ["Probability", "Wahrscheinlichkeit", "Probabilité", "Probabilidad", "Probabilità", "Probabilidade", "Waarschijnlijkheid", "Prawdopodobieństwo", "Sannolikhet", "Sandsynlighed"],
        Term::Impact => ["Impact", "Auswirkung", "Impact", "Impacto", "Impatto", "Impacto", "Impact", "Skutki", "Konsekvens", "Konsekvens"],
        Term::Strengths => ["Strengths", "Stärken", "Forces", "Fortalezas", "Punti di forza", "Forças", "Sterktes", "Mocne strony", "Styrkor", "Styrker"],
        Term::Weaknesses => ["Weaknesses", "Schwächen", "Faiblesses", "Debilidades", "Punti di debolezza", "Fraquezas", "Zwaktes", "Słabe strony", "Svagheter", "Svagheder"],
        Term::Opportunities => ["Opportunities", "Chancen", "Opportunités", "Oportunidades", "Opportunità", "Oportunidades", "Kansen", "Szanse", "Möjligheter", "Muligheder"],
        Term::Threats => ["Threats", "Risiken", "Menaces", "Amenazas", "Minacce", "Ameaças", "Bedreigingen", "Zagrożenia", "Hot", "Trusler"],
        Term::NotAtAll => ["not at all", "gar nicht", "pas du tout", "nada", "per nulla", "nada", "helemaal niet", "wcale", "inte alls", "slet ikke"],
        Term::Fully => ["fully", "voll", "entièrement", "totalmente", "del tutto", "totalmente", "volledig", "w pełni", "helt", "fuldt ud"],
        Term::Majority => ["majority", "Mehrheit", "majorité", "mayoría", "maggioranza", "maioria", "meerderheid", "większość", "majoritet", "flertal"],
        Term::OneDot => ["1 dot is", "1 Punkt =", "1 point =", "1 punto =", "1 punto =", "1 ponto =", "1 stip =", "1 punkt =", "1 punkt =", "1 prik ="],
        Term::OneIcon => ["One icon =", "Ein Symbol =", "Un symbole =", "Un icono =", "Un’icona =", "Um ícone =", "Eén symbool =", "Jeden symbol =", "En symbol =", "Et symbol ="],
        Term::To => ["to", "bis", "à", "a", "a", "a", "tot", "do", "till", "til"],
        Term::Quarter => ["Q", "Q", "T", "T", "T", "T", "K", "Q", "K", "K"],
        Term::CumulativeShare => ["Cumulative share", "Kumulierter Anteil", "Part cumulée", "Porcentaje acumulado", "Quota cumulata", "Percentagem acumulada", "Cumulatief aandeel", "Udział skumulowany", "Kumulativ andel", "Kumulativ andel"],
        Term::Of => ["of", "von", "sur", "de", "su", "de", "van", "z", "av", "af"],
        Term::Difference => ["Difference", "Differenz", "Différence", "Diferencia", "Differenza", "Diferença", "Verschil", "Różnica", "Skillnad", "Forskel"],
        Term::Variance => ["Variance", "Abweichung", "Écart", "Desviación", "Scostamento", "Desvio", "Afwijking", "Odchylenie", "Avvikelse", "Afvigelse"],
        Term::Forecast => ["Forecast", "Prognose", "Prévision", "Previsión", "Previsione", "Previsão", "Prognose", "Prognoza", "Prognos", "Prognose"],
        Term::Range => ["Range", "Spanne", "Fourchette", "Intervalo", "Intervallo", "Intervalo", "Bandbreedte", "Przedział", "Intervall", "Interval"],
        Term::Width => ["Width", "Breite", "Largeur", "Anchura", "Larghezza", "Largura", "Breedte", "Szerokość", "Bredd", "Bredde"],
        Term::DailySum => ["Daily sum", "Tagessumme", "Somme par jour", "Suma por día", "Somma giornaliera", "Soma diária", "Som per dag", "Suma dzienna", "Dagssumma", "Sum pr. dag"],
        Term::DailyMean => ["Daily mean", "Tagesmittel", "Moyenne par jour", "Media por día", "Media giornaliera", "Média diária", "Gemiddelde per dag", "Średnia dzienna", "Dagsmedelvärde", "Gennemsnit pr. dag"],
        Term::DailyMaximum => ["Daily maximum", "Tageshöchstwert", "Maximum par jour", "Máximo por día", "Massimo giornaliero", "Máximo diário", "Maximum per dag", "Maksimum dzienne", "Dagsmaximum", "Maksimum pr. dag"],
    }
}

/// Returns the reason of an omission in all languages.
#[rustfmt::skip]
fn find_omission_translations(omission: Omission) -> Translations {
    match omission {
        Omission::NoDate => ["without a valid date", "ohne gültiges Datum", "sans date valable", "sin fecha válida", "senza data valida", "sem data válida", "zonder geldige datum", "bez poprawnej daty", "utan giltigt datum", "uden gyldig dato"],
        Omission::NoValue => ["without a value", "ohne Wert", "sans valeur", "sin valor", "senza valore", "sem valor", "zonder waarde", "bez wartości", "utan värde", "uden værdi"],
        Omission::Incomplete => ["incomplete", "unvollständig", "avec des données manquantes", "con datos incompletos", "con dati incompleti", "com dados incompletos", "onvolledig", "z brakującymi danymi", "ofullständiga", "ufuldstændige"],
        Omission::Zero => ["equal to zero", "gleich null", "égaux à zéro", "iguales a cero", "pari a zero", "iguais a zero", "gelijk aan nul", "równe zeru", "lika med noll", "lig med nul"],
        Omission::NotOnLogAxis => ["not above zero on the logarithmic axis", "nicht über null auf der logarithmischen Achse", "non supérieurs à zéro sur l’axe logarithmique", "no mayores que cero en el eje logarítmico", "non maggiori di zero sull’asse logaritmico", "não superiores a zero no eixo logarítmico", "niet boven nul op de logaritmische as", "nie większe od zera na osi logarytmicznej", "inte över noll på den logaritmiska axeln", "ikke over nul på den logaritmiske akse"],
        Omission::TooSmall => ["too small to show", "zu klein für die Darstellung", "trop petits", "demasiado pequeños", "troppo piccoli", "pequenos demais", "te klein", "zbyt małe", "för små", "for små"],
        Omission::BelowZero => ["below zero", "unter null", "au-dessous de zéro", "por debajo de cero", "sotto lo zero", "abaixo de zero", "onder nul", "poniżej zera", "under noll", "under nul"],
        Omission::OutOfRange => ["outside the axes", "außerhalb der Achsen", "hors des axes", "fuera de los ejes", "fuori dagli assi", "fora dos eixos", "buiten de assen", "poza osiami", "utanför axlarna", "uden for akserne"],
        Omission::Unknown => ["not recognized", "nicht erkannt", "non reconnus", "no reconocidos", "non riconosciuti", "não reconhecidos", "niet herkend", "nierozpoznane", "inte igenkända", "ikke genkendt"],
        Omission::OffMap => ["outside the map", "außerhalb der Karte", "hors de la carte", "fuera del mapa", "fuori dalla mappa", "fora do mapa", "buiten de kaart", "poza mapą", "utanför kartan", "uden for kortet"],
        Omission::Duplicate => ["repeated", "mehrfach vorhanden", "en double", "repetidos", "ripetuti", "repetidos", "dubbel", "powtórzone", "upprepade", "gentaget"],
        Omission::Cyclic => ["leading back", "zurückführend", "en boucle", "que vuelven atrás", "di ritorno", "de retorno", "terugleidend", "prowadzące z powrotem", "som leder tillbaka", "der fører tilbage"],
        Omission::NoSpace => ["for lack of space", "aus Platzgründen", "faute de place", "por falta de espacio", "per mancanza di spazio", "por falta de espaço", "wegens ruimtegebrek", "z braku miejsca", "på grund av platsbrist", "på grund af pladsmangel"],
        Omission::Series => ["series for lack of space", "Datenreihen aus Platzgründen", "séries faute de place", "series por falta de espacio", "serie per mancanza di spazio", "séries por falta de espaço", "reeksen wegens ruimtegebrek", "serie z braku miejsca", "serier på grund av platsbrist", "serier på grund af pladsmangel"],
        Omission::Rounding => ["Shares may not add up to 100% because of rounding", "Die Anteile ergeben wegen Rundung möglicherweise nicht genau 100\u{a0}%", "En raison des arrondis, le total des parts peut différer de 100\u{a0}%", "Debido al redondeo, las partes pueden no sumar 100\u{a0}%", "A causa degli arrotondamenti, la somma delle quote può differire da 100\u{a0}%", "Devido ao arredondamento, as partes podem não somar 100\u{a0}%", "Door afronding tellen de aandelen mogelijk niet op tot 100%", "Ze względu na zaokrąglenia udziały mogą nie sumować się do 100%", "På grund av avrundning kan andelarnas summa avvika från 100\u{a0}%", "På grund af afrunding summer andelene muligvis ikke til 100\u{a0}%"],
        Omission::MissingValue => ["Missing values:", "Fehlende Werte:", "Valeurs manquantes :", "Valores ausentes:", "Valori mancanti:", "Valores em falta:", "Ontbrekende waarden:", "Brakujące wartości:", "Saknade värden:", "Manglende værdier:"],
        Omission::Name => ["Names shortened or left out:", "Gekürzte oder fehlende Namen:", "Noms abrégés ou omis :", "Nombres abreviados u omitidos:", "Nomi abbreviati o omessi:", "Nomes abreviados ou omitidos:", "Ingekorte of weggelaten namen:", "Nazwy skrócone lub pominięte:", "Förkortade eller utelämnade namn:", "Forkortede eller udeladte navne:"],
        Omission::Overlap => ["Overlapping dots:", "Überlappende Punkte:", "Points superposés :", "Puntos superpuestos:", "Punti sovrapposti:", "Pontos sobrepostos:", "Overlappende stippen:", "Nakładające się punkty:", "Överlappande punkter:", "Overlappende prikker:"],
        Omission::Contradiction => ["Numbers left out because they contradict each other:", "Wegen Widersprüchen weggelassene Zahlen:", "Nombres omis car contradictoires :", "Números omitidos por contradictorios:", "Numeri omessi perché contraddittori:", "Números omitidos por serem contraditórios:", "Weggelaten tegenstrijdige getallen:", "Pominięte sprzeczne liczby:", "Utelämnade motstridiga tal:", "Udeladte modstridende tal:"],
        Omission::WholeDots => ["Dots show seats rounded to whole numbers", "Die Punkte zeigen auf ganze Zahlen gerundete Sitze", "Les points représentent des sièges arrondis à l’unité", "Los puntos muestran escaños redondeados a enteros", "I punti mostrano seggi arrotondati all’unità", "Os pontos mostram lugares arredondados à unidade", "Stippen tonen op gehele getallen afgeronde zetels", "Kropki pokazują mandaty zaokrąglone do liczb całkowitych", "Punkterna visar mandat avrundade till heltal", "Prikkerne viser mandater afrundet til hele tal"],
    }
}

/// Returns the forms of a noun by its English singular. None for a noun without translations.
#[rustfmt::skip]
fn find_noun_forms(english: &str) -> Option<NounForms> {
    let (one, few, many): (Translations, &str, Translations) = match english {
        "task" => (["task", "Aufgabe", "tâche", "tarea", "attività", "tarefa", "taak", "zadanie", "uppgift", "opgave"], "zadania", ["tasks", "Aufgaben", "tâches", "tareas", "attività", "tarefas", "taken", "zadań", "uppgifter", "opgaver"]),
        "row" => (["row", "Zeile", "ligne", "fila", "riga", "linha", "rij", "wiersz", "rad", "række"], "wiersze", ["rows", "Zeilen", "lignes", "filas", "righe", "linhas", "rijen", "wierszy", "rader", "rækker"]),
        "column" => (["column", "Spalte", "colonne", "columna", "colonna", "coluna", "kolom", "kolumna", "kolumn", "kolonne"], "kolumny", ["columns", "Spalten", "colonnes", "columnas", "colonne", "colunas", "kolommen", "kolumn", "kolumner", "kolonner"]),
        "figure" => (["figure", "Kennzahl", "indicateur", "indicador", "indicatore", "indicador", "kerncijfer", "wskaźnik", "nyckeltal", "nøgletal"], "wskaźniki", ["figures", "Kennzahlen", "indicateurs", "indicadores", "indicatori", "indicadores", "kerncijfers", "wskaźników", "nyckeltal", "nøgletal"]),
        "dial" => (["dial", "Anzeige", "cadran", "medidor", "quadrante", "mostrador", "meter", "wskaźnik", "mätare", "måler"], "wskaźniki", ["dials", "Anzeigen", "cadrans", "medidores", "quadranti", "mostradores", "meters", "wskaźników", "mätare", "målere"]),
        "risk" => (["risk", "Risiko", "risque", "riesgo", "rischio", "risco", "risico", "ryzyko", "risk", "risiko"], "ryzyka", ["risks", "Risiken", "risques", "riesgos", "rischi", "riscos", "risico’s", "ryzyk", "risker", "risici"]),
        "category" => (["category", "Kategorie", "catégorie", "categoría", "categoria", "categoria", "categorie", "kategoria", "kategori", "kategori"], "kategorie", ["categories", "Kategorien", "catégories", "categorías", "categorie", "categorias", "categorieën", "kategorii", "kategorier", "kategorier"]),
        "option" => (["option", "Option", "option", "opción", "opzione", "opção", "optie", "opcja", "alternativ", "mulighed"], "opcje", ["options", "Optionen", "options", "opciones", "opzioni", "opções", "opties", "opcji", "alternativ", "muligheder"]),
        _ => return None,
    };
    Some(NounForms { one, few, many })
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
