//! Nouns of notes about omitted items, in all languages.

use crate::format::translations::languages::Translations;

/// Plural forms of a noun.
pub(super) struct NounForms {
    /// Singular. The languages after the first ten have none.
    pub one: [&'static str; 10],
    /// Polish form for numbers that end in 2, 3 or 4, except in 12, 13 or 14. The other languages
    /// have no such form.
    pub few: &'static str,
    /// Plural, or the only form. `{}` stands for the number if it is within the form.
    pub many: Translations,
}

/// Returns the forms of a noun by its English singular. None for a noun without translations. The
/// empty noun has forms for a number without a noun.
#[rustfmt::skip]
pub(super) fn find_noun_forms(english: &str) -> Option<NounForms> {
    let (one, few, many): ([&str; 10], &str, Translations) = match english {
        "" => (["", "", "", "", "", "", "", "", "", ""], "", ["", "", "", "", "", "", "", "", "", "", "{}件", "{}项", "{}項", "{}개", "{}", "{}"]),
        "task" => (["task", "Aufgabe", "tâche", "tarea", "attività", "tarefa", "taak", "zadanie", "uppgift", "opgave"], "zadania", ["tasks", "Aufgaben", "tâches", "tareas", "attività", "tarefas", "taken", "zadań", "uppgifter", "opgaver", "タスク{}件", "{}项任务", "{}項任務", "작업 {}개", "משימות", "مهام"]),
        "row" => (["row", "Zeile", "ligne", "fila", "riga", "linha", "rij", "wiersz", "rad", "række"], "wiersze", ["rows", "Zeilen", "lignes", "filas", "righe", "linhas", "rijen", "wierszy", "rader", "rækker", "{}行", "{}行", "{}列", "행 {}개", "שורות", "صفوف"]),
        "column" => (["column", "Spalte", "colonne", "columna", "colonna", "coluna", "kolom", "kolumna", "kolumn", "kolonne"], "kolumny", ["columns", "Spalten", "colonnes", "columnas", "colonne", "colunas", "kolommen", "kolumn", "kolumner", "kolonner", "{}列", "{}列", "{}欄", "열 {}개", "עמודות", "أعمدة"]),
        "figure" => (["figure", "Kennzahl", "indicateur", "indicador", "indicatore", "indicador", "kerncijfer", "wskaźnik", "nyckeltal", "nøgletal"], "wskaźniki", ["figures", "Kennzahlen", "indicateurs", "indicadores", "indicatori", "indicadores", "kerncijfers", "wskaźników", "nyckeltal", "nøgletal", "指標{}件", "{}项指标", "{}項指標", "지표 {}개", "מדדים", "مؤشرات"]),
        "dial" => (["dial", "Anzeige", "cadran", "medidor", "quadrante", "mostrador", "meter", "wskaźnik", "mätare", "måler"], "wskaźniki", ["dials", "Anzeigen", "cadrans", "medidores", "quadranti", "mostradores", "meters", "wskaźników", "mätare", "målere", "メーター{}個", "{}个仪表", "{}個儀表", "계기 {}개", "מחוונים", "عدادات"]),
        "risk" => (["risk", "Risiko", "risque", "riesgo", "rischio", "risco", "risico", "ryzyko", "risk", "risiko"], "ryzyka", ["risks", "Risiken", "risques", "riesgos", "rischi", "riscos", "risico’s", "ryzyk", "risker", "risici", "リスク{}件", "{}项风险", "{}項風險", "위험 {}개", "סיכונים", "مخاطر"]),
        "category" => (["category", "Kategorie", "catégorie", "categoría", "categoria", "categoria", "categorie", "kategoria", "kategori", "kategori"], "kategorie", ["categories", "Kategorien", "catégories", "categorías", "categorie", "categorias", "categorieën", "kategorii", "kategorier", "kategorier", "カテゴリー{}件", "{}个类别", "{}個類別", "범주 {}개", "קטגוריות", "فئات"]),
        "option" => (["option", "Option", "option", "opción", "opzione", "opção", "optie", "opcja", "alternativ", "mulighed"], "opcje", ["options", "Optionen", "options", "opciones", "opzioni", "opções", "opties", "opcji", "alternativ", "muligheder", "選択肢{}件", "{}个选项", "{}個選項", "선택지 {}개", "אפשרויות", "خيارات"]),
        _ => return None,
    };
    Some(NounForms { one, few, many })
}
