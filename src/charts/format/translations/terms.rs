//! Terms that images show, in all languages.

use crate::format::translations::languages::Translations;

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
    /// Share of a value and all larger ones in the total.
    CumulativeShare,
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

/// Returns a term in all languages, in the order of `LANGUAGES`.
#[rustfmt::skip]
pub(super) fn find_translations(term: Term) -> Translations {
    match term {
        Term::NoData => ["No data", "Keine Daten", "Aucune donnée", "Sin datos", "Nessun dato", "Sem dados", "Geen gegevens", "Brak danych", "Inga data", "Ingen data", "データなし", "暂无数据", "暫無資料", "데이터 없음", "אין נתונים", "لا توجد بيانات"],
        Term::Other => ["Other", "Sonstige", "Autres", "Otros", "Altri", "Outros", "Overige", "Pozostałe", "Övrigt", "Øvrige", "その他", "其他", "其他", "기타", "אחר", "أخرى"],
        Term::Total => ["Total", "Gesamt", "Total", "Total", "Totale", "Total", "Totaal", "Razem", "Totalt", "I alt", "合計", "合计", "合計", "합계", "סך הכול", "الإجمالي"],
        Term::Sum => ["Sum", "Summe", "Somme", "Suma", "Somma", "Soma", "Som", "Suma", "Summa", "Sum", "合計", "总和", "總和", "합", "סכום", "المجموع"],
        Term::Target => ["Target", "Ziel", "Objectif", "Objetivo", "Obiettivo", "Meta", "Doel", "Cel", "Mål", "Mål", "目標", "目标", "目標", "목표", "יעד", "الهدف"],
        Term::Value => ["Value", "Wert", "Valeur", "Valor", "Valore", "Valor", "Waarde", "Wartość", "Värde", "Værdi", "値", "数值", "數值", "값", "ערך", "القيمة"],
        Term::Mean => ["Mean", "Mittelwert", "Moyenne", "Media", "Media", "Média", "Gemiddelde", "Średnia", "Medelvärde", "Gennemsnit", "平均", "平均值", "平均值", "평균", "ממוצע", "المتوسط"],
        Term::Median => ["Median", "Median", "Médiane", "Mediana", "Mediana", "Mediana", "Mediaan", "Mediana", "Median", "Median", "中央値", "中位数", "中位數", "중앙값", "חציון", "الوسيط"],
        Term::Increase => ["Increase", "Zunahme", "Hausse", "Aumento", "Aumento", "Aumento", "Toename", "Wzrost", "Ökning", "Stigning", "増加", "增加", "增加", "증가", "עלייה", "زيادة"],
        Term::Decrease => ["Decrease", "Abnahme", "Baisse", "Descenso", "Diminuzione", "Diminuição", "Afname", "Spadek", "Minskning", "Fald", "減少", "减少", "減少", "감소", "ירידה", "انخفاض"],
        Term::Before => ["Before", "Vorher", "Avant", "Antes", "Prima", "Antes", "Voor", "Przed", "Före", "Før", "以前", "之前", "之前", "이전", "לפני", "قبل"],
        Term::After => ["After", "Nachher", "Après", "Después", "Dopo", "Depois", "Na", "Po", "Efter", "Efter", "以後", "之后", "之後", "이후", "אחרי", "بعد"],
        Term::Actual => ["Actual", "Ist", "Réel", "Real", "Effettivo", "Real", "Werkelijk", "Wykonanie", "Utfall", "Faktisk", "実績", "实际", "實際", "실적", "בפועל", "الفعلي"],
        Term::Planned => ["Planned", "Plan", "Prévu", "Previsto", "Previsto", "Previsto", "Gepland", "Plan", "Plan", "Planlagt", "計画", "计划", "計畫", "계획", "מתוכנן", "المخطط"],
        Term::Today => ["Today", "Heute", "Aujourd’hui", "Hoy", "Oggi", "Hoje", "Vandaag", "Dziś", "I dag", "I dag", "今日", "今天", "今天", "오늘", "היום", "اليوم"],
        Term::Low => ["Low", "Niedrig", "Bas", "Bajo", "Basso", "Baixo", "Laag", "Niski", "Låg", "Lav", "低位", "低", "低", "낮음", "נמוך", "منخفض"],
        Term::High => ["High", "Hoch", "Haut", "Alto", "Alto", "Alto", "Hoog", "Wysoki", "Hög", "Høj", "高位", "高", "高", "높음", "גבוה", "مرتفع"],
        Term::Base => ["Base", "Basis", "Base", "Base", "Base", "Base", "Basis", "Baza", "Bas", "Basis", "基準", "基准", "基準", "기준", "בסיס", "الأساس"],
        Term::Probability => ["Probability", "Wahrscheinlichkeit", "Probabilité", "Probabilidad", "Probabilità", "Probabilidade", "Waarschijnlijkheid", "Prawdopodobieństwo", "Sannolikhet", "Sandsynlighed", "発生確率", "概率", "機率", "확률", "הסתברות", "الاحتمال"],
        Term::Impact => ["Impact", "Auswirkung", "Impact", "Impacto", "Impatto", "Impacto", "Impact", "Skutki", "Konsekvens", "Konsekvens", "影響度", "影响", "影響", "영향", "השפעה", "التأثير"],
        Term::Strengths => ["Strengths", "Stärken", "Forces", "Fortalezas", "Punti di forza", "Forças", "Sterktes", "Mocne strony", "Styrkor", "Styrker", "強み", "优势", "優勢", "강점", "חוזקות", "نقاط القوة"],
        Term::Weaknesses => ["Weaknesses", "Schwächen", "Faiblesses", "Debilidades", "Punti di debolezza", "Fraquezas", "Zwaktes", "Słabe strony", "Svagheter", "Svagheder", "弱み", "劣势", "劣勢", "약점", "חולשות", "نقاط الضعف"],
        Term::Opportunities => ["Opportunities", "Chancen", "Opportunités", "Oportunidades", "Opportunità", "Oportunidades", "Kansen", "Szanse", "Möjligheter", "Muligheder", "機会", "机会", "機會", "기회", "הזדמנויות", "الفرص"],
        Term::Threats => ["Threats", "Risiken", "Menaces", "Amenazas", "Minacce", "Ameaças", "Bedreigingen", "Zagrożenia", "Hot", "Trusler", "脅威", "威胁", "威脅", "위협", "איומים", "التهديدات"],
        Term::NotAtAll => ["not at all", "gar nicht", "pas du tout", "nada", "per nulla", "nada", "helemaal niet", "wcale", "inte alls", "slet ikke", "該当しない", "完全不符合", "完全不符合", "전혀 아님", "כלל לא", "إطلاقًا"],
        Term::Fully => ["fully", "voll", "entièrement", "totalmente", "del tutto", "totalmente", "volledig", "w pełni", "helt", "fuldt ud", "完全に該当", "完全符合", "完全符合", "완전히 충족", "במלואו", "بالكامل"],
        Term::Majority => ["majority", "Mehrheit", "majorité", "mayoría", "maggioranza", "maioria", "meerderheid", "większość", "majoritet", "flertal", "過半数", "过半数", "過半數", "과반", "רוב", "الأغلبية"],
        Term::OneDot => ["1 dot is", "1 Punkt =", "1 point =", "1 punto =", "1 punto =", "1 ponto =", "1 stip =", "1 punkt =", "1 punkt =", "1 prik =", "点1個 =", "1个点 =", "1個點 =", "점 1개 =", "נקודה אחת =", "النقطة الواحدة ="],
        Term::OneIcon => ["One icon =", "Ein Symbol =", "Un symbole =", "Un icono =", "Un’icona =", "Um ícone =", "Eén symbool =", "Jeden symbol =", "En symbol =", "Et symbol =", "アイコン1個 =", "1个图标 =", "1個圖示 =", "아이콘 1개 =", "סמל אחד =", "الرمز الواحد ="],
        Term::To => ["to", "bis", "à", "a", "a", "a", "tot", "do", "till", "til", "～", "至", "至", "~", "עד", "إلى"],
        Term::CumulativeShare => ["Cumulative share", "Kumulierter Anteil", "Part cumulée", "Porcentaje acumulado", "Quota cumulata", "Percentagem acumulada", "Cumulatief aandeel", "Udział skumulowany", "Kumulativ andel", "Kumulativ andel", "累積構成比", "累计占比", "累計占比", "누적 비중", "שיעור מצטבר", "النسبة التراكمية"],
        Term::Difference => ["Difference", "Differenz", "Différence", "Diferencia", "Differenza", "Diferença", "Verschil", "Różnica", "Skillnad", "Forskel", "差", "差额", "差額", "차이", "הפרש", "الفرق"],
        Term::Variance => ["Variance", "Abweichung", "Écart", "Desviación", "Scostamento", "Desvio", "Afwijking", "Odchylenie", "Avvikelse", "Afvigelse", "差異", "偏差", "差異", "편차", "סטייה", "الانحراف"],
        Term::Forecast => ["Forecast", "Prognose", "Prévision", "Previsión", "Previsione", "Previsão", "Prognose", "Prognoza", "Prognos", "Prognose", "予測", "预测", "預測", "전망", "תחזית", "التوقعات"],
        Term::Range => ["Range", "Spanne", "Fourchette", "Intervalo", "Intervallo", "Intervalo", "Bandbreedte", "Przedział", "Intervall", "Interval", "範囲", "区间", "區間", "범위", "טווח", "النطاق"],
        Term::Width => ["Width", "Breite", "Largeur", "Anchura", "Larghezza", "Largura", "Breedte", "Szerokość", "Bredd", "Bredde", "幅", "宽度", "寬度", "너비", "רוחב", "العرض"],
        Term::DailySum => ["Daily sum", "Tagessumme", "Somme par jour", "Suma por día", "Somma giornaliera", "Soma diária", "Som per dag", "Suma dzienna", "Dagssumma", "Sum pr. dag", "日別合計", "每日合计", "每日合計", "일일 합계", "סכום יומי", "المجموع اليومي"],
        Term::DailyMean => ["Daily mean", "Tagesmittel", "Moyenne par jour", "Media por día", "Media giornaliera", "Média diária", "Gemiddelde per dag", "Średnia dzienna", "Dagsmedelvärde", "Gennemsnit pr. dag", "日別平均", "每日平均", "每日平均", "일일 평균", "ממוצע יומי", "المتوسط اليومي"],
        Term::DailyMaximum => ["Daily maximum", "Tageshöchstwert", "Maximum par jour", "Máximo por día", "Massimo giornaliero", "Máximo diário", "Maximum per dag", "Maksimum dzienne", "Dagsmaximum", "Maksimum pr. dag", "日別最大", "每日最大值", "每日最大值", "일일 최댓값", "מקסימום יומי", "الحد الأقصى اليومي"],
    }
}

/// All variants.
#[cfg(test)]
pub(super) const ALL: [Term; 39] = [
    Term::NoData,
    Term::Other,
    Term::Total,
    Term::Sum,
    Term::Target,
    Term::Value,
    Term::Mean,
    Term::Median,
    Term::Increase,
    Term::Decrease,
    Term::Before,
    Term::After,
    Term::Actual,
    Term::Planned,
    Term::Today,
    Term::Low,
    Term::High,
    Term::Base,
    Term::Probability,
    Term::Impact,
    Term::Strengths,
    Term::Weaknesses,
    Term::Opportunities,
    Term::Threats,
    Term::NotAtAll,
    Term::Fully,
    Term::Majority,
    Term::OneDot,
    Term::OneIcon,
    Term::To,
    Term::CumulativeShare,
    Term::Difference,
    Term::Variance,
    Term::Forecast,
    Term::Range,
    Term::Width,
    Term::DailySum,
    Term::DailyMean,
    Term::DailyMaximum,
];
