//! Text tables as people have them, in the notations of many countries, uploaded to a server.

use encoding_rs::Encoding;
use serde_json::Value;
use serde_json::json;

use crate::server_process::ServerProcess;

/// A table and the records that it must become, with the headings as keys.
struct TableCase {
    name: &'static str,
    /// Character encoding of the file.
    encoding: &'static str,
    text: &'static str,
    records: fn() -> Value,
}

impl TableCase {
    /// Returns the bytes of the file. UTF-16 has a byte order mark.
    fn bytes(&self) -> Vec<u8> {
        if self.encoding == "UTF-16LE" {
            return "\u{feff}"
                .encode_utf16()
                .chain(self.text.encode_utf16())
                .flat_map(u16::to_le_bytes)
                .collect();
        }
        let encoding = Encoding::for_label(self.encoding.as_bytes()).unwrap();
        let (bytes, _, has_unmappable) = encoding.encode(self.text);
        assert!(!has_unmappable, "{}", self.name);
        bytes.into_owned()
    }
}

const CASES: &[TableCase] = &[
    TableCase {
        name: "Markdown with a heading and a note",
        encoding: "UTF-8",
        text: "# Cities\n\n| City | People | Area (km²) |\n|:-----|-------:|-----------:|\n| Vienna | 1,982,000 | **414.8** |\n| Linz \\| Urfahr | 210,000 | |\n\nSource: Statistik Austria\n",
        records: || json!([{ "City": "Vienna", "People": 1982000, "Area (km²)": 414.8 }, { "City": "Linz | Urfahr", "People": 210000 }]),
    },
    TableCase {
        name: "output of psql",
        encoding: "UTF-8",
        text: " name | amount |    day\n------+--------+------------\n Ann  |   12.5 | 2024-01-01\n Ben  |        | 2024-01-02\n(2 rows)\n",
        records: || json!([{ "name": "Ann", "amount": 12.5, "day": "2024-01-01" }, { "name": "Ben", "day": "2024-01-02" }]),
    },
    TableCase {
        name: "output of MySQL",
        encoding: "UTF-8",
        text: "+------+--------+\n| name | amount |\n+------+--------+\n| Ann  |   12.5 |\n| Ben  |    7.0 |\n+------+--------+\n2 rows in set (0.00 sec)\n",
        records: || json!([{ "name": "Ann", "amount": 12.5 }, { "name": "Ben", "amount": 7.0 }]),
    },
    TableCase {
        name: "de semicolon, thousands point, euro",
        encoding: "UTF-8",
        text: "Region;Umsatz\nNord;1.284.350,50 €\nSüd;95,5 €\nWest;-12,00 €\n",
        records: || json!([{ "Region": "Nord", "Umsatz": 1284350.5 }, { "Region": "Süd", "Umsatz": 95.5 }, { "Region": "West", "Umsatz": -12.0 }]),
    },
    TableCase {
        name: "de windows-1252",
        encoding: "windows-1252",
        text: "Bezirk;Fläche in km²\nMünchen-Süd;1.234,5\nKöln;405,02\n",
        records: || json!([{ "Bezirk": "München-Süd", "Fläche in km²": 1234.5 }, { "Bezirk": "Köln", "Fläche in km²": 405.02 }]),
    },
    TableCase {
        name: "de utf-16 tab (Excel Unicode text)",
        encoding: "UTF-16LE",
        text: "Monat\tAnzahl\r\nJänner\t1.024\r\nMärz\t998\r\n",
        records: || json!([{ "Monat": "Jänner", "Anzahl": 1024 }, { "Monat": "März", "Anzahl": 998 }]),
    },
    TableCase {
        name: "fr equal headings",
        encoding: "UTF-8",
        text: "Région;Ventes;Ventes;;\nNord;1,5;2,5;x;y\nSud;3;4;;z\n",
        records: || json!([{ "Région": "Nord", "Ventes": 1.5, "Ventes (2)": 2.5, "column4": "x", "column5": "y" }, { "Région": "Sud", "Ventes": 3, "Ventes (2)": 4, "column5": "z" }]),
    },
    TableCase {
        name: "de two rows of headings",
        encoding: "UTF-8",
        text: "Umsatz der Filialen;;;;\n;2023;;2024;\nFiliale;Plan;Ist;Plan;Ist\nA;1,5;2;3;4\nB;5;6;7;8\n",
        records: || json!([{ "Filiale": "A", "2023, Plan": 1.5, "2023, Ist": 2, "2024, Plan": 3, "2024, Ist": 4 }, { "Filiale": "B", "2023, Plan": 5, "2023, Ist": 6, "2024, Plan": 7, "2024, Ist": 8 }]),
    },
    TableCase {
        name: "de title and blank line above",
        encoding: "UTF-8",
        text: "Umsatz je Filiale, Stand 31.12.2023;;\n;;\nFiliale;2022;2023\nA;1.200;1.350\nB;800;760\n",
        records: || json!([{ "Filiale": "A", "2022": 1200, "2023": 1350 }, { "Filiale": "B", "2022": 800, "2023": 760 }]),
    },
    TableCase {
        name: "de sep line",
        encoding: "UTF-8",
        text: "sep=;\nName;Wert\nA;1,5\nB;2,25\n",
        records: || json!([{ "Name": "A", "Wert": 1.5 }, { "Name": "B", "Wert": 2.25 }]),
    },
    TableCase {
        name: "de negative in parentheses and trailing minus",
        encoding: "UTF-8",
        text: "Konto;Saldo\n4711;(1.250,00)\n4712;300,00-\n4713;12,50\n",
        records: || json!([{ "Konto": 4711, "Saldo": -1250.0 }, { "Konto": 4712, "Saldo": -300.0 }, { "Konto": 4713, "Saldo": 12.5 }]),
    },
    TableCase {
        name: "de percent with plus",
        encoding: "UTF-8",
        text: "Land;Veränderung\nHessen;+4,2 %\nBremen;-0,3 %\n",
        records: || json!([{ "Land": "Hessen", "Veränderung": 4.2 }, { "Land": "Bremen", "Veränderung": -0.3 }]),
    },
    TableCase {
        name: "de Mio.",
        encoding: "UTF-8",
        text: "Konzern;Umsatz\nA;1,2 Mio.\nB;850 Tsd.\n",
        records: || json!([{ "Konzern": "A", "Umsatz": 1200000 }, { "Konzern": "B", "Umsatz": 850000 }]),
    },
    TableCase {
        name: "de postal codes stay text",
        encoding: "UTF-8",
        text: "PLZ;Ort;Einwohner\n01067;Dresden;12.345\n80331;München;9.870\n",
        records: || json!([{ "PLZ": "01067", "Ort": "Dresden", "Einwohner": 12345 }, { "PLZ": "80331", "Ort": "München", "Einwohner": 9870 }]),
    },
    TableCase {
        name: "de missing marks",
        encoding: "UTF-8",
        text: "Ort;Wert\nA;12,5\nB;k. A.\nC;–\nD;\n",
        records: || json!([{ "Ort": "A", "Wert": 12.5 }, { "Ort": "B", "Wert": "k. A." }, { "Ort": "C", "Wert": "–" }, { "Ort": "D" }]),
    },
    TableCase {
        name: "de-CH apostrophe",
        encoding: "UTF-8",
        text: "Kanton;Franken\nZürich;1’284’350.50\nBern;95.5\n",
        records: || json!([{ "Kanton": "Zürich", "Franken": 1284350.5 }, { "Kanton": "Bern", "Franken": 95.5 }]),
    },
    TableCase {
        name: "de-CH straight apostrophe and CHF",
        encoding: "UTF-8",
        text: "Kanton;Kosten\nUri;CHF 1'250.00\nZug;CHF 980.50\n",
        records: || json!([{ "Kanton": "Uri", "Kosten": 1250.0 }, { "Kanton": "Zug", "Kosten": 980.5 }]),
    },
    TableCase {
        name: "de-AT prices with dash",
        encoding: "UTF-8",
        text: "Artikel;Preis\nHose;95,–\nJacke;129,90\n",
        records: || json!([{ "Artikel": "Hose", "Preis": 95 }, { "Artikel": "Jacke", "Preis": 129.9 }]),
    },
    TableCase {
        name: "en-US dollars",
        encoding: "UTF-8",
        text: "Region,Revenue\nNorth,\"$1,284,350.50\"\nSouth,$95.5\nWest,\"($1,200)\"\n",
        records: || json!([{ "Region": "North", "Revenue": 1284350.5 }, { "Region": "South", "Revenue": 95.5 }, { "Region": "West", "Revenue": -1200 }]),
    },
    TableCase {
        name: "en-US quoted line break",
        encoding: "UTF-8",
        text: "Product,Units\n\"Chair,\nblack\",\"1,200\"\nTable,85\n",
        records: || json!([{ "Product": "Chair,\nblack", "Units": 1200 }, { "Product": "Table", "Units": 85 }]),
    },
    TableCase {
        name: "en k and M",
        encoding: "UTF-8",
        text: "Site,Visits\nA,12.5k\nB,1.2M\nC,900\n",
        records: || json!([{ "Site": "A", "Visits": 12500 }, { "Site": "B", "Visits": 1200000 }, { "Site": "C", "Visits": 900 }]),
    },
    TableCase {
        name: "en comment lines",
        encoding: "UTF-8",
        text: "# exported 2024-03-01\n# unit: tonnes\nYear,Wheat\n2022,1200\n2023,1350\n",
        records: || json!([{ "Year": 2022, "Wheat": 1200 }, { "Year": 2023, "Wheat": 1350 }]),
    },
    TableCase {
        name: "en total row kept",
        encoding: "UTF-8",
        text: "Dept,Cost\nIT,\"1,000\"\nHR,500\nTotal,\"1,500\"\n",
        records: || json!([{ "Dept": "IT", "Cost": 1000 }, { "Dept": "HR", "Cost": 500 }, { "Dept": "Total", "Cost": 1500 }]),
    },
    TableCase {
        name: "en error cells",
        encoding: "UTF-8",
        text: "Item,Value\nA,#DIV/0!\nB,12\nC,#N/A\nD,7.5\n",
        records: || json!([{ "Item": "A", "Value": "#DIV/0!" }, { "Item": "B", "Value": 12 }, { "Item": "C", "Value": "#N/A" }, { "Item": "D", "Value": 7.5 }]),
    },
    TableCase {
        name: "en pipes",
        encoding: "UTF-8",
        text: "Name|Score\nAnn|9.5\nBen|7\n",
        records: || json!([{ "Name": "Ann", "Score": 9.5 }, { "Name": "Ben", "Score": 7 }]),
    },
    TableCase {
        name: "en booleans",
        encoding: "UTF-8",
        text: "Task,Done\nA,yes\nB,no\n",
        records: || json!([{ "Task": "A", "Done": "yes" }, { "Task": "B", "Done": "no" }]),
    },
    TableCase {
        name: "en bom and crlf",
        encoding: "UTF-8",
        text: "\u{feff}City,Pop\r\nLeeds,\"536,280\"\r\nYork,\"141,685\"\r\n",
        records: || json!([{ "City": "Leeds", "Pop": 536280 }, { "City": "York", "Pop": 141685 }]),
    },
    TableCase {
        name: "en-IN lakh grouping",
        encoding: "UTF-8",
        text: "State,Rupees\nKerala,\"₹12,34,567\"\nGoa,\"₹98,765\"\n",
        records: || json!([{ "State": "Kerala", "Rupees": 1234567 }, { "State": "Goa", "Rupees": 98765 }]),
    },
    TableCase {
        name: "fr nbsp groups",
        encoding: "UTF-8",
        text: "Région;Chiffre d’affaires\nBretagne;1\u{a0}284\u{a0}350,50\u{a0}€\nCorse;95,5\u{a0}€\n",
        records: || json!([{ "Région": "Bretagne", "Chiffre d’affaires": 1284350.5 }, { "Région": "Corse", "Chiffre d’affaires": 95.5 }]),
    },
    TableCase {
        name: "fr narrow nbsp",
        encoding: "UTF-8",
        text: "Ville;Habitants\nParis;2\u{202f}102\u{202f}650\nNice;343\u{202f}477\n",
        records: || json!([{ "Ville": "Paris", "Habitants": 2102650 }, { "Ville": "Nice", "Habitants": 343477 }]),
    },
    TableCase {
        name: "fr latin-1 percent",
        encoding: "windows-1252",
        text: "Année;Taux de chômage\n2022;7,3 %\n2023;7,1 %\n",
        records: || json!([{ "Année": 2022, "Taux de chômage": 7.3 }, { "Année": 2023, "Taux de chômage": 7.1 }]),
    },
    TableCase {
        name: "es points and comma",
        encoding: "UTF-8",
        text: "Provincia;Población\nSevilla;1.957.197\nJaén;622.900,5\n",
        records: || json!([{ "Provincia": "Sevilla", "Población": 1957197 }, { "Provincia": "Jaén", "Población": 622900.5 }]),
    },
    TableCase {
        name: "it euro before",
        encoding: "UTF-8",
        text: "Città;Prezzo\nRoma;€ 1.250,00\nForlì;€ 980,50\n",
        records: || json!([{ "Città": "Roma", "Prezzo": 1250.0 }, { "Città": "Forlì", "Prezzo": 980.5 }]),
    },
    TableCase {
        name: "pt-BR reais",
        encoding: "UTF-8",
        text: "Estado;Receita\nSão Paulo;R$ 1.234.567,89\nAcre;R$ 987,65\n",
        records: || json!([{ "Estado": "São Paulo", "Receita": 1234567.89 }, { "Estado": "Acre", "Receita": 987.65 }]),
    },
    TableCase {
        name: "nl euro negative",
        encoding: "UTF-8",
        text: "Provincie;Saldo\nUtrecht;€ -1.250,00\nDrenthe;€ 300,25\n",
        records: || json!([{ "Provincie": "Utrecht", "Saldo": -1250.0 }, { "Provincie": "Drenthe", "Saldo": 300.25 }]),
    },
    TableCase {
        name: "sv spaces and kr",
        encoding: "UTF-8",
        text: "Kommun;Kostnad\nMalmö;12 500 kr\nLund;9 800,50 kr\n",
        records: || json!([{ "Kommun": "Malmö", "Kostnad": 12500 }, { "Kommun": "Lund", "Kostnad": 9800.5 }]),
    },
    TableCase {
        name: "sv true minus",
        encoding: "UTF-8",
        text: "Månad;Temperatur\njanuari;\u{2212}3,5\njuli;17,2\n",
        records: || json!([{ "Månad": "januari", "Temperatur": -3.5 }, { "Månad": "juli", "Temperatur": 17.2 }]),
    },
    TableCase {
        name: "da kr. before",
        encoding: "UTF-8",
        text: "By;Pris\nAarhus;kr. 1.250,50\nOdense;kr. 980,00\n",
        records: || json!([{ "By": "Aarhus", "Pris": 1250.5 }, { "By": "Odense", "Pris": 980.0 }]),
    },
    TableCase {
        name: "pl cp1250",
        encoding: "windows-1250",
        text: "Województwo;Przychód\nŁódzkie;1 284,50 zł\nŚląskie;12 345,00 zł\n",
        records: || json!([{ "Województwo": "Łódzkie", "Przychód": 1284.5 }, { "Województwo": "Śląskie", "Przychód": 12345.0 }]),
    },
    TableCase {
        name: "tab with comma decimals",
        encoding: "UTF-8",
        text: "Stadt\tWert\nGraz\t1,5\nLinz\t2,75\n",
        records: || json!([{ "Stadt": "Graz", "Wert": 1.5 }, { "Stadt": "Linz", "Wert": 2.75 }]),
    },
    TableCase {
        name: "comma separator with quoted comma decimals",
        encoding: "UTF-8",
        text: "Ort,Wert\nA,\"1,5\"\nB,\"22,25\"\n",
        records: || json!([{ "Ort": "A", "Wert": 1.5 }, { "Ort": "B", "Wert": 22.25 }]),
    },
    TableCase {
        name: "scientific",
        encoding: "UTF-8",
        text: "Sample,Concentration\nA,1.5E-03\nB,2.5E+02\n",
        records: || json!([{ "Sample": "A", "Concentration": 0.0015 }, { "Sample": "B", "Concentration": 250.0 }]),
    },
    TableCase {
        name: "ragged rows and trailing separators",
        encoding: "UTF-8",
        text: "a;b;;\nx;1;;\ny;2\nz\n",
        records: || json!([{ "a": "x", "b": 1 }, { "a": "y", "b": 2 }, { "a": "z" }]),
    },
    TableCase {
        name: "dates stay as written",
        encoding: "UTF-8",
        text: "Datum;Wert\n31.12.2023;5,5\n01.01.2024;6\n",
        records: || json!([{ "Datum": "31.12.2023", "Wert": 5.5 }, { "Datum": "01.01.2024", "Wert": 6 }]),
    },
    TableCase {
        name: "quoted numbers and doubled quotes",
        encoding: "UTF-8",
        text: "\"Name\";\"Wert\"\n\"Bar \"\"Zum Löwen\"\"\";\"1.250,5\"\n\"Café\";\"80\"\n",
        records: || json!([{ "Name": "Bar \"Zum Löwen\"", "Wert": 1250.5 }, { "Name": "Café", "Wert": 80 }]),
    },
    TableCase {
        name: "ambiguous only: locale decides",
        encoding: "UTF-8",
        text: "Ort;Wert\nA;1.234\nB;5.678\n",
        records: || json!([{ "Ort": "A", "Wert": 1234 }, { "Ort": "B", "Wert": 5678 }]),
    },
    TableCase {
        name: "html from a spreadsheet",
        encoding: "UTF-8",
        text: "<table><tr><td>Ort</td><td>Wert</td></tr><tr><td>Ulm</td><td>1.234,5</td></tr><tr><td>Aalen</td><td>7,25</td></tr></table>",
        records: || json!([{ "Ort": "Ulm", "Wert": 1234.5 }, { "Ort": "Aalen", "Wert": 7.25 }]),
    },
    TableCase {
        name: "de undecided, decided by another column",
        encoding: "UTF-8",
        text: "Ort\tA\tB\nX\t1.024\t5,5\nY\t998\t7,25\n",
        records: || json!([{ "Ort": "X", "A": 1024, "B": 5.5 }, { "Ort": "Y", "A": 998, "B": 7.25 }]),
    },
];

/// Creates a document on a server and returns its address.
pub fn create_document(server: &ServerProcess) -> String {
    let created = server.ann().post("/api/v1/create-document", json!({ "widget": "bar" }));
    let endpoint = created.expect(200).json()["endpoint"].as_str().unwrap().to_owned();
    endpoint.strip_prefix(&server.base_url).unwrap_or(&endpoint).to_owned()
}

/// Replaces the records of a document by those of a table. Returns the response.
pub fn upload(server: &ServerProcess, endpoint: &str, media_type: &str, bytes: &[u8]) -> Value {
    let path = format!("{endpoint}/data?mapping=none");
    let owner = server.ann().with_header("content-type", media_type);
    owner.send_bytes("PUT", &path, Some(bytes)).expect(200).json()
}

#[test]
fn tables_in_many_notations_become_the_right_records() {
    let server = ServerProcess::new();
    let endpoint = create_document(&server);
    let mut failures = Vec::new();
    for case in CASES {
        let media_type = if case.text.starts_with("<table") { "text/html" } else { "text/csv" };
        let response = upload(&server, &endpoint, media_type, &case.bytes());
        let records = server.ann().get(&endpoint).expect(200).json()["data"].clone();
        if records != (case.records)() {
            failures.push(format!("{}:\n  {records}\n  {}", case.name, (case.records)()));
        }
        // The reader names UTF-8 also for text that is only ASCII.
        let encoding = response["table"]["encoding"].as_str().unwrap();
        if encoding != case.encoding {
            failures.push(format!("{}: read as {encoding}", case.name));
        }
    }
    assert!(CASES.len() >= 40);
    assert!(failures.is_empty(), "{}", failures.join("\n"));
}

#[test]
fn numbers_with_two_readings_follow_the_column_the_table_and_the_document() {
    let server = ServerProcess::new();
    let endpoint = create_document(&server);
    let put = |text: &str| {
        let response = upload(&server, &endpoint, "text/csv", text.as_bytes());
        let data = server.ann().get(&endpoint).expect(200).json()["data"].clone();
        (
            data.as_array().unwrap().iter().find_map(|record| record["B"].as_f64()).unwrap(),
            response["table"]["problems"].clone(),
        )
    };
    let problem = |cell: &str, message: &str| json!([{ "cell": cell, "message": message }]);
    assert_eq!(put("A\tB\nx\t1.024\ny\t9,5\n"), (1024.0, json!([])), "the column");
    let like_others = "is read as 1024, not 1.024, like the other columns";
    let text = "A\tB\tC\n\"x\n\"\t1.024\t5,5\n\ny\t2.000\t6\n";
    assert_eq!(put(text), (1024.0, problem("B2", like_others)), "the table");
    let undecided = "is read as 1.024; it may also be 1024, and no other cell decides";
    assert_eq!(put("A\tB\nw\t\n\nx\t1.024\n"), (1.024, problem("B4", undecided)), "neither");
    let document = json!({ "plugin_id": "bar", "settings": { "locale": "de" } });
    server.ann().put(&endpoint, document).expect(200);
    let undecided = "is read as 1024; it may also be 1.024, and no other cell decides";
    assert_eq!(put("A\tB\nx\t1.024\n"), (1024.0, problem("B2", undecided)), "the document");
}
