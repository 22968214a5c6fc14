//! Reasons of omissions, in all languages.

use crate::format::translations::languages::Translations;

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
    /// Series without a value in any record.
    EmptySeries,
    /// Shares with printed percentages that do not add up to 100.
    Rounding,
    /// Missing values in sums and shares. The records are drawn without them.
    MissingValue,
    /// Names of marks that are shortened or left out for lack of space. The marks are drawn.
    Name,
    /// Drawn values that readers can read neither from a label nor from an axis, because their labels
    /// have no space.
    Value,
    /// Equal ranks that are drawn one below the other, although nothing in the image tells them from
    /// different ranks.
    TiedRank,
    /// Panels with value axes of their own.
    OwnAxes,
    /// Dots that may cover each other. All of them are drawn.
    Overlap,
    /// Numbers of overlaps of sets that contradict the numbers of the sets. The areas are drawn.
    Contradiction,
    /// Numbers with decimals that whole dots stand for. The labels are exact.
    WholeDots,
    /// Groups that share the color of "Other". Their records are drawn.
    JoinedGroups,
    /// Times with different time zones. All of them are shown in UTC.
    TimeZones,
    /// Units of values that are added up or compared although they differ. All values are drawn.
    MixedUnits,
    /// Tasks with an end before their start. They are drawn from the end to the start.
    Reversed,
    /// Groups with a value below the sum of their parts. They are drawn with the sum.
    LargerParts,
    /// Records with numbers outside the scale, drawn at its ends.
    AtScaleEnd,
    /// Times at equal distances although the steps between them differ.
    UnevenTimes,
    /// Words in the smallest readable size, although their values are lower.
    EnlargedWords,
    /// Second lines of boxes, such as the positions of people, without space. The boxes are drawn.
    Subtitle,
}

impl Omission {
    /// Returns whether the note about it has no number.
    pub fn is_uncounted(self) -> bool {
        matches!(
            self,
            Omission::Rounding
                | Omission::WholeDots
                | Omission::TimeZones
                | Omission::OwnAxes
                | Omission::UnevenTimes
        )
    }

    /// Returns whether it only concerns the precision of numbers. In a preview, such a remark is not worth
    /// its space.
    pub fn concerns_precision(self) -> bool {
        matches!(
            self,
            Omission::Rounding
                | Omission::WholeDots
                | Omission::TimeZones
                | Omission::UnevenTimes
                | Omission::EnlargedWords
                | Omission::Subtitle
        )
    }

    /// Returns whether the author gets no warning made of the note: for rounding, because the author need
    /// not change anything, and for the others, because the chart kind has a more precise warning.
    pub fn has_own_warning(self) -> bool {
        matches!(self, Omission::Rounding | Omission::TiedRank | Omission::OwnAxes)
    }

    /// Returns whether records or series are not drawn, as opposed to their names or some values.
    pub fn concerns_records(self) -> bool {
        !matches!(
            self,
            Omission::EmptySeries
                | Omission::Rounding
                | Omission::MissingValue
                | Omission::Name
                | Omission::Value
                | Omission::TiedRank
                | Omission::OwnAxes
                | Omission::Overlap
                | Omission::Contradiction
                | Omission::WholeDots
                | Omission::JoinedGroups
                | Omission::TimeZones
                | Omission::MixedUnits
                | Omission::Reversed
                | Omission::LargerParts
                | Omission::AtScaleEnd
                | Omission::UnevenTimes
                | Omission::EnlargedWords
                | Omission::Subtitle
        )
    }
}

/// Returns the reason of an omission in all languages, in the order of `LANGUAGES`. In some of
/// them, `{}` stands for the number.
#[rustfmt::skip]
pub(super) fn find_omission_translations(omission: Omission) -> Translations {
    match omission {
        Omission::NoDate => ["without a valid date", "ohne gültiges Datum", "sans date valable", "sin fecha válida", "senza data valida", "sem data válida", "zonder geldige datum", "bez poprawnej daty", "utan giltigt datum", "uden gyldig dato", "有効な日付なし {}件", "无有效日期 {} 条", "無有效日期 {} 筆", "유효한 날짜 없음 {}건", "ללא תאריך תקין: {}", "بلا تاريخ صالح: {}"],
        Omission::NoValue => ["without a value", "ohne Wert", "sans valeur", "sin valor", "senza valore", "sem valor", "zonder waarde", "bez wartości", "utan värde", "uden værdi", "値なし {}件", "无数值 {} 条", "無數值 {} 筆", "값 없음 {}건", "ללא ערך: {}", "بلا قيمة: {}"],
        Omission::Incomplete => ["incomplete", "unvollständig", "avec des données manquantes", "con datos incompletos", "con dati incompleti", "com dados incompletos", "onvolledig", "z brakującymi danymi", "ofullständiga", "ufuldstændige", "データ不備 {}件", "数据不完整 {} 条", "資料不完整 {} 筆", "불완전한 데이터 {}건", "נתונים חסרים: {}", "بيانات ناقصة: {}"],
        Omission::Zero => ["equal to zero", "gleich null", "égaux à zéro", "iguales a cero", "pari a zero", "iguais a zero", "gelijk aan nul", "równe zeru", "lika med noll", "lig med nul", "値がゼロ {}件", "数值为零 {} 条", "數值為零 {} 筆", "값이 0인 항목 {}건", "ערך אפס: {}", "قيمة صفرية: {}"],
        Omission::NotOnLogAxis => ["not above zero on the logarithmic axis", "nicht über null auf der logarithmischen Achse", "non supérieurs à zéro sur l’axe logarithmique", "no mayores que cero en el eje logarítmico", "non maggiori di zero sull’asse logaritmico", "não superiores a zero no eixo logarítmico", "niet boven nul op de logaritmische as", "nie większe od zera na osi logarytmicznej", "inte över noll på den logaritmiska axeln", "ikke over nul på den logaritmiske akse", "対数軸でゼロ以下 {}件", "对数轴上不大于零 {} 条", "對數軸上不大於零 {} 筆", "로그 축에서 0 이하 {}건", "לא מעל אפס בציר לוגריתמי: {}", "غير أكبر من الصفر على المحور اللوغاريتمي: {}"],
        Omission::TooSmall => ["too small to show", "zu klein für die Darstellung", "trop petits", "demasiado pequeños", "troppo piccoli", "pequenos demais", "te klein", "zbyt małe", "för små", "for små", "小さすぎて表示不可 {}件", "过小无法显示 {} 条", "過小無法顯示 {} 筆", "너무 작아 표시할 수 없음 {}건", "קטן מדי להצגה: {}", "أصغر من أن يُعرض: {}"],
        Omission::BelowZero => ["below zero", "unter null", "au-dessous de zéro", "por debajo de cero", "sotto lo zero", "abaixo de zero", "onder nul", "poniżej zera", "under noll", "under nul", "ゼロ未満 {}件", "小于零 {} 条", "小於零 {} 筆", "0 미만 {}건", "מתחת לאפס: {}", "أقل من الصفر: {}"],
        Omission::OutOfRange => ["outside the axes", "außerhalb der Achsen", "hors des axes", "fuera de los ejes", "fuori dagli assi", "fora dos eixos", "buiten de assen", "poza osiami", "utanför axlarna", "uden for akserne", "軸の範囲外 {}件", "超出坐标轴范围 {} 条", "超出座標軸範圍 {} 筆", "축 범위 밖 {}건", "מחוץ לצירים: {}", "خارج المحاور: {}"],
        Omission::Unknown => ["not recognized", "nicht erkannt", "non reconnus", "no reconocidos", "non riconosciuti", "não reconhecidos", "niet herkend", "nierozpoznane", "inte igenkända", "ikke genkendt", "認識不可 {}件", "无法识别 {} 条", "無法辨識 {} 筆", "인식할 수 없음 {}건", "לא זוהה: {}", "غير معروف: {}"],
        Omission::OffMap => ["outside the map", "außerhalb der Karte", "hors de la carte", "fuera del mapa", "fuori dalla mappa", "fora do mapa", "buiten de kaart", "poza mapą", "utanför kartan", "uden for kortet", "地図の範囲外 {}件", "地图范围之外 {} 条", "地圖範圍之外 {} 筆", "지도 범위 밖 {}건", "מחוץ למפה: {}", "خارج الخريطة: {}"],
        Omission::Duplicate => ["repeated", "mehrfach vorhanden", "en double", "repetidos", "ripetuti", "repetidos", "dubbel", "powtórzone", "upprepade", "gentaget", "重複 {}件", "重复 {} 条", "重複 {} 筆", "중복 {}건", "כפילויות: {}", "مكرر: {}"],
        Omission::Cyclic => ["leading back", "zurückführend", "en boucle", "que vuelven atrás", "di ritorno", "de retorno", "terugleidend", "prowadzące z powrotem", "som leder tillbaka", "der fører tilbage", "循環 {}件", "循环 {} 条", "循環 {} 筆", "순환 {}건", "לולאות: {}", "تدفق دائري: {}"],
        Omission::NoSpace => ["for lack of space", "aus Platzgründen", "faute de place", "por falta de espacio", "per mancanza di spazio", "por falta de espaço", "wegens ruimtegebrek", "z braku miejsca", "på grund av platsbrist", "på grund af pladsmangel", "スペース不足 {}件", "空间不足 {} 条", "空間不足 {} 筆", "공간 부족 {}건", "מחוסר מקום: {}", "لضيق المساحة: {}"],
        Omission::Series => ["series for lack of space", "Datenreihen aus Platzgründen", "séries faute de place", "series por falta de espacio", "serie per mancanza di spazio", "séries por falta de espaço", "reeksen wegens ruimtegebrek", "serie z braku miejsca", "serier på grund av platsbrist", "serier på grund af pladsmangel", "スペース不足の系列 {}件", "因空间不足的数据系列 {} 个", "因空間不足的資料數列 {} 個", "공간 부족으로 빠진 계열 {}개", "סדרות מחוסר מקום: {}", "سلاسل بيانات لضيق المساحة: {}"],
        Omission::EmptySeries => ["Series without values:", "Datenreihen ohne Werte:", "Séries sans valeurs :", "Series sin valores:", "Serie senza valori:", "Séries sem valores:", "Reeksen zonder waarden:", "Serie bez wartości:", "Serier utan värden:", "Serier uden værdier:", "値のない系列: {}", "无数值的数据系列: {}", "無數值的資料數列: {}", "값이 없는 계열: {}", "סדרות ללא ערכים: {}", "سلاسل بيانات بلا قيم: {}"],
        Omission::Rounding => ["Shares may not add up to 100% because of rounding", "Die Anteile ergeben wegen Rundung möglicherweise nicht genau 100\u{a0}%", "En raison des arrondis, le total des parts peut différer de 100\u{a0}%", "Debido al redondeo, las partes pueden no sumar 100\u{a0}%", "A causa degli arrotondamenti, la somma delle quote può differire da 100\u{a0}%", "Devido ao arredondamento, as partes podem não somar 100\u{a0}%", "Door afronding tellen de aandelen mogelijk niet op tot 100%", "Ze względu na zaokrąglenia udziały mogą nie sumować się do 100%", "På grund av avrundning kan andelarnas summa avvika från 100\u{a0}%", "På grund af afrunding summer andelene muligvis ikke til 100\u{a0}%", "四捨五入のため、構成比の合計は100%にならないことがあります", "由于四舍五入，各项占比之和可能不等于100%", "由於四捨五入，各項占比合計可能不等於100%", "반올림으로 인해 비중의 합이 100%가 아닐 수 있습니다", "ייתכן שסכום השיעורים אינו 100% בשל עיגול", "قد لا يساوي مجموع النسب 100% بسبب التقريب"],
        Omission::MissingValue => ["Missing values:", "Fehlende Werte:", "Valeurs manquantes :", "Valores ausentes:", "Valori mancanti:", "Valores em falta:", "Ontbrekende waarden:", "Brakujące wartości:", "Saknade värden:", "Manglende værdier:", "欠損値: {}", "缺失值: {}", "缺漏值: {}", "누락된 값: {}", "ערכים חסרים: {}", "القيم المفقودة: {}"],
        Omission::Name => ["Names shortened or left out:", "Gekürzte oder fehlende Namen:", "Noms abrégés ou omis :", "Nombres abreviados u omitidos:", "Nomi abbreviati o omessi:", "Nomes abreviados ou omitidos:", "Ingekorte of weggelaten namen:", "Nazwy skrócone lub pominięte:", "Förkortade eller utelämnade namn:", "Forkortede eller udeladte navne:", "省略または短縮した名称: {}", "缩写或省略的名称: {}", "縮寫或省略的名稱: {}", "줄이거나 생략한 이름: {}", "שמות שקוצרו או הושמטו: {}", "أسماء مختصرة أو محذوفة: {}"],
        Omission::Value => ["Values without space for a label:", "Werte ohne Platz für eine Beschriftung:", "Valeurs non affichées faute de place :", "Valores sin espacio para una etiqueta:", "Valori senza spazio per un’etichetta:", "Valores sem espaço para um rótulo:", "Waarden zonder ruimte voor een label:", "Wartości bez miejsca na etykietę:", "Värden utan plats för en etikett:", "Værdier uden plads til en etiket:", "スペース不足で表示していない値: {}", "因空间不足未标注的数值: {}", "因空間不足未標註的數值: {}", "공간이 부족해 표시하지 않은 값: {}", "ערכים ללא מקום לתווית: {}", "قيم بلا مساحة للتسمية: {}"],
        Omission::TiedRank => ["Equal ranks drawn one below the other:", "Gleiche Ränge, untereinander gezeichnet:", "Rangs égaux placés l’un sous l’autre :", "Puestos iguales dibujados uno bajo otro:", "Posizioni pari disegnate una sotto l’altra:", "Posições iguais desenhadas uma sob a outra:", "Gelijke plaatsen onder elkaar getekend:", "Równe miejsca narysowane jedno pod drugim:", "Lika placeringar ritade under varandra:", "Ens placeringer tegnet under hinanden:", "上下に並べた同順位: {}", "上下排列的并列名次: {}", "上下排列的並列名次: {}", "위아래로 나란히 그린 공동 순위: {}", "דירוגים שווים שצוירו זה מתחת לזה: {}", "مراتب متساوية مرسومة بعضها تحت بعض: {}"],
        Omission::OwnAxes => ["Panels have different scales", "Die Felder haben verschiedene Skalen", "Les panneaux ont des échelles différentes", "Los paneles tienen escalas distintas", "I riquadri hanno scale diverse", "Os painéis têm escalas diferentes", "De deelgrafieken hebben verschillende schalen", "Panele mają różne skale", "Delarna har olika skalor", "Felterne har forskellige skalaer", "各パネルの目盛りは異なります", "各分图的刻度不同", "各分圖的刻度不同", "패널마다 눈금이 다릅니다", "לתרשימים יש קני מידה שונים", "للوحات مقاييس مختلفة"],
        Omission::Overlap => ["Overlapping dots:", "Überlappende Punkte:", "Points superposés :", "Puntos superpuestos:", "Punti sovrapposti:", "Pontos sobrepostos:", "Overlappende stippen:", "Nakładające się punkty:", "Överlappande punkter:", "Overlappende prikker:", "重なった点: {}", "重叠的点: {}", "重疊的點: {}", "겹친 점: {}", "נקודות חופפות: {}", "نقاط متداخلة: {}"],
        Omission::Contradiction => ["Numbers left out because they contradict each other:", "Wegen Widersprüchen weggelassene Zahlen:", "Nombres omis car contradictoires :", "Números omitidos por contradictorios:", "Numeri omessi perché contraddittori:", "Números omitidos por serem contraditórios:", "Weggelaten tegenstrijdige getallen:", "Pominięte sprzeczne liczby:", "Utelämnade motstridiga tal:", "Udeladte modstridende tal:", "矛盾のため省略した数値: {}", "因相互矛盾而省略的数值: {}", "因相互矛盾而省略的數值: {}", "서로 모순되어 생략한 수치: {}", "מספרים סותרים שהושמטו: {}", "أرقام محذوفة لتناقضها: {}"],
        Omission::WholeDots => ["Dots show seats rounded to whole numbers", "Die Punkte zeigen auf ganze Zahlen gerundete Sitze", "Les points représentent des sièges arrondis à l’unité", "Los puntos muestran escaños redondeados a enteros", "I punti mostrano seggi arrotondati all’unità", "Os pontos mostram lugares arredondados à unidade", "Stippen tonen op gehele getallen afgeronde zetels", "Kropki pokazują mandaty zaokrąglone do liczb całkowitych", "Punkterna visar mandat avrundade till heltal", "Prikkerne viser mandater afrundet til hele tal", "点は整数に丸めた議席数を示します", "点表示四舍五入为整数的席位", "點表示四捨五入為整數的席次", "점은 정수로 반올림한 의석을 나타냅니다", "הנקודות מציגות מושבים מעוגלים למספרים שלמים", "تمثل النقاط المقاعد مقرّبة إلى أعداد صحيحة"],
        Omission::JoinedGroups => ["Groups combined as “Other”:", "Als „Sonstige“ zusammengefasste Gruppen:", "Groupes réunis sous «\u{a0}Autres\u{a0}»\u{a0}:", "Grupos reunidos en «Otros»:", "Gruppi riuniti in «Altri»:", "Grupos reunidos em “Outros”:", "Groepen samengevoegd als ‘Overige’:", "Grupy połączone jako „Pozostałe”:", "Grupper sammanslagna som ”Övrigt”:", "Grupper samlet som »Øvrige«:", "「その他」にまとめたグループ: {}", "合并为“其他”的组: {}", "合併為「其他」的群組: {}", "‘기타’로 묶은 그룹: {}", "קבוצות שאוחדו תחת \"אחר\": {}", "المجموعات المدمجة في «أخرى»: {}"],
        Omission::TimeZones => ["Times are shown in UTC", "Zeiten in UTC", "Heures en UTC", "Horas en UTC", "Orari in UTC", "Horas em UTC", "Tijden in UTC", "Czas UTC", "Tider i UTC", "Tider i UTC", "時刻はUTCです", "时间为 UTC", "時間為 UTC", "시각은 UTC 기준입니다", "השעות מוצגות לפי UTC", "الأوقات بتوقيت UTC"],
        Omission::MixedUnits => ["Values in different units:", "Werte in verschiedenen Einheiten:", "Valeurs dans différentes unités\u{a0}:", "Valores en unidades distintas:", "Valori in unità diverse:", "Valores em unidades diferentes:", "Waarden in verschillende eenheden:", "Wartości w różnych jednostkach:", "Värden i olika enheter:", "Værdier i forskellige enheder:", "単位の異なる値: {}", "单位不同的数值: {}", "單位不同的數值: {}", "단위가 다른 값: {}", "ערכים ביחידות שונות: {}", "قيم بوحدات مختلفة: {}"],
        Omission::LargerParts => ["Groups below the sum of their parts, drawn with the sum:", "Gruppen unter der Summe ihrer Teile, mit der Summe gezeichnet:", "Groupes inférieurs à la somme de leurs parties, tracés avec la somme\u{a0}:", "Grupos menores que la suma de sus partes, dibujados con la suma:", "Gruppi inferiori alla somma delle parti, disegnati con la somma:", "Grupos menores que a soma das partes, desenhados com a soma:", "Groepen onder de som van hun delen, getekend met de som:", "Grupy mniejsze niż suma części, narysowane z sumą:", "Grupper under summan av sina delar, ritade med summan:", "Grupper under summen af deres dele, tegnet med summen:", "内訳の合計より小さいため合計で描いたグループ: {}", "小于各部分之和、按总和绘制的组: {}", "小於各部分總和、按總和繪製的群組: {}", "구성 요소의 합보다 작아 합계로 그린 그룹: {}", "קבוצות הקטנות מסכום חלקיהן, צוירו לפי הסכום: {}", "مجموعات أصغر من مجموع أجزائها، رُسمت بالمجموع: {}"],
        Omission::AtScaleEnd => ["Outside the scale, drawn at its end:", "Außerhalb der Skala, an ihrem Ende gezeichnet:", "Hors de l’échelle, placés à son extrémité\u{a0}:", "Fuera de la escala, dibujados en su extremo:", "Fuori scala, disegnati all’estremità:", "Fora da escala, desenhados na extremidade:", "Buiten de schaal, aan het uiteinde getekend:", "Poza skalą, narysowane na jej końcu:", "Utanför skalan, ritade vid dess ände:", "Uden for skalaen, tegnet ved dens ende:", "目盛りの範囲外のため端に配置: {}", "超出刻度，绘制在末端: {}", "超出刻度，繪製在末端: {}", "눈금 범위를 벗어나 끝에 표시: {}", "מחוץ לסולם, צוירו בקצהו: {}", "خارج المقياس، رُسمت عند طرفه: {}"],
        Omission::UnevenTimes => ["Distances between times are not to scale", "Zeitliche Abstände sind nicht maßstäblich", "Les intervalles de temps ne sont pas à l’échelle", "Los intervalos de tiempo no están a escala", "Gli intervalli di tempo non sono in scala", "Os intervalos de tempo não estão à escala", "De afstanden in de tijd zijn niet op schaal", "Odstępy czasu nie są w skali", "Tidsavstånden är inte skalenliga", "Tidsafstandene er ikke målfaste", "時間の間隔は実際の長さに比例していません", "时间间隔未按比例绘制", "時間間隔未按比例繪製", "시간 간격은 실제 길이에 비례하지 않습니다", "מרווחי הזמן אינם בקנה מידה", "الفواصل الزمنية ليست وفق مقياس الرسم"],
        Omission::Subtitle => ["Second lines left out:", "Weggelassene zweite Zeilen:", "Deuxièmes lignes omises\u{a0}:", "Segundas líneas omitidas:", "Seconde righe omesse:", "Segundas linhas omitidas:", "Weggelaten tweede regels:", "Pominięte drugie wiersze:", "Utelämnade andra rader:", "Udeladte andre linjer:", "省略した2行目: {}", "省略的第二行: {}", "省略的第二行文字: {}", "생략한 두 번째 줄: {}", "שורות שניות שהושמטו: {}", "أسطر ثانية محذوفة: {}"],
        Omission::EnlargedWords => ["Words enlarged to be readable:", "Zur Lesbarkeit vergrößerte Wörter:", "Mots agrandis pour rester lisibles\u{a0}:", "Palabras ampliadas para que se lean:", "Parole ingrandite per essere leggibili:", "Palavras ampliadas para serem legíveis:", "Voor de leesbaarheid vergrote woorden:", "Słowa powiększone dla czytelności:", "Ord som förstorats för att kunna läsas:", "Ord forstørret for at kunne læses:", "読みやすいように拡大した単語: {}", "为便于阅读而放大的词: {}", "為便於閱讀而放大的詞: {}", "읽을 수 있도록 확대한 단어: {}", "מילים שהוגדלו כדי שיהיו קריאות: {}", "كلمات كُبّرت لتسهل قراءتها: {}"],
        Omission::Reversed => ["End before start, drawn with both dates swapped:", "Ende vor dem Beginn, vertauscht gezeichnet:", "Fin avant le début, dates inversées\u{a0}:", "Fin anterior al inicio, fechas intercambiadas:", "Fine prima dell’inizio, date invertite:", "Fim antes do início, datas trocadas:", "Einde voor begin, datums omgewisseld:", "Koniec przed początkiem, daty zamienione:", "Slut före start, datumen har bytt plats:", "Slut før start, datoerne er ombyttet:", "終了が開始より前のため日付を入れ替え: {}", "结束早于开始，日期已互换: {}", "結束早於開始，日期已互換: {}", "종료가 시작보다 빨라 날짜를 바꿈: {}", "סוף לפני התחלה, התאריכים הוחלפו: {}", "النهاية قبل البداية، تم تبديل التاريخين: {}"],
    }
}

/// All variants.
#[cfg(test)]
pub(super) const ALL: [Omission; 33] = [
    Omission::NoDate,
    Omission::NoValue,
    Omission::Incomplete,
    Omission::Zero,
    Omission::BelowZero,
    Omission::NotOnLogAxis,
    Omission::TooSmall,
    Omission::OutOfRange,
    Omission::Unknown,
    Omission::OffMap,
    Omission::Duplicate,
    Omission::Cyclic,
    Omission::NoSpace,
    Omission::Series,
    Omission::EmptySeries,
    Omission::Rounding,
    Omission::MissingValue,
    Omission::Name,
    Omission::Value,
    Omission::TiedRank,
    Omission::OwnAxes,
    Omission::Overlap,
    Omission::Contradiction,
    Omission::WholeDots,
    Omission::JoinedGroups,
    Omission::TimeZones,
    Omission::MixedUnits,
    Omission::Reversed,
    Omission::LargerParts,
    Omission::AtScaleEnd,
    Omission::UnevenTimes,
    Omission::EnlargedWords,
    Omission::Subtitle,
];
