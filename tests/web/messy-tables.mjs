// Tables as people have them: German numbers, dates, title rows above the header, units in the header, empty cells and
// notes below. Each has the records that a chart should contain, written by hand.

import writeExcelFile from "write-excel-file/node";

/** A CSV file of an accounting program, in Windows-1252. */
const CSV_LINES = [
  "Absatzbericht Standort Graz;;;",
  "Stand: 15.01.2026;;;",
  ";;;",
  "Monat;Umsatz (Tsd. €);Reklamationen;Bemerkung",
  "31.01.2025;1.234,5;12;",
  "28.02.2025;987,25;;Messe in Köln",
  "31.03.2025;1.502,75;7;",
  "30.04.2025;;3;Systemausfall",
  "31.05.2025;1.611,0;9;",
  "30.06.2025;1.420,4;11;Lager geräumt",
];

/** Encodes a text in Windows-1252, which is Latin-1 except for a few characters. @param {string} text */
const encodeWindows1252 = (text) => Buffer.from([...text].map((character) => (character === "€" ? 0x80 : character.charCodeAt(0))));

/** The file, and the dates with their values. The month without a value has none. */
export const csvTable = {
  name: "absatz_2025_final(2).csv",
  mimeType: "text/csv",
  buffer: encodeWindows1252(`${CSV_LINES.join("\r\n")}\r\n`),
  values: [["2025-01-31", 1234.5], ["2025-02-28", 987.25], ["2025-03-31", 1502.75], ["2025-04-30", null], ["2025-05-31", 1611], ["2025-06-30", 1420.4]],
};

/** Creates an Excel file with a title, an empty row, a unit in the header, dates, empty cells and a second worksheet. */
export async function createExcelTable() {
  const date = (/** @type {string} */ text) => ({ value: new Date(`${text}T00:00:00Z`), type: Date, format: "dd.mm.yyyy" });
  const rows = [
    [{ value: "Kraftwerke der Gruppe, Jahr 2025", fontWeight: "bold", columnSpan: 4 }],
    [null],
    [{ value: "Werk" }, { value: "Erzeugung (GWh)" }, { value: "In Betrieb seit" }, { value: "Bemerkung" }],
    [{ value: "Donaustadt" }, { value: 1204.75, type: Number }, date("1999-05-03"), null],
    [{ value: "Theiß" }, { value: 388.5, type: Number }, date("1974-11-20"), { value: "Reserve" }],
    [{ value: "Freudenau" }, { value: 1052, type: Number }, date("1998-06-01"), null],
    [{ value: "Ybbs-Persenbeug" }, null, date("1959-09-12"), { value: "Umbau" }],
    [{ value: "Malta" }, { value: 915.2, type: Number }, null, null],
  ];
  const notes = [[{ value: "Quelle" }, { value: "eigene Zählung" }]];
  const buffer = await (await writeExcelFile([{ data: rows, sheet: "Übersicht" }, { data: notes, sheet: "Notizen" }])).toBuffer();
  return {
    name: "Kraftwerke 2025.xlsx",
    mimeType: "application/vnd.openxmlformats-officedocument.spreadsheetml.sheet",
    buffer,
    values: [["Donaustadt", 1204.75], ["Theiß", 388.5], ["Freudenau", 1052], ["Ybbs-Persenbeug", null], ["Malta", 915.2]],
  };
}

/** A table copied from a web page. The HTML has a title row and numbers with a dot between thousands. */
export const htmlTable = {
  html: `<meta charset="utf-8"><p>Besucher der Museen</p><table border="1"><caption>Tabelle 3</caption><thead>
    <tr><th colspan="3">Besuche im Jahr 2025</th></tr><tr><th>Museum</th><th>Besuche (in&nbsp;Tsd.)</th><th>Ver&auml;nderung</th></tr></thead><tbody>
    <tr><td>Albertina</td><td align="right">1.012,5</td><td align="right">+4,1&nbsp;%</td></tr><tr><td>Belvedere</td><td align="right">1.745,3</td><td align="right">&minus;2,0&nbsp;%</td></tr>
    <tr><td>Naturhistorisches Museum</td><td align="right">903,0</td><td></td></tr><tr><td>Technisches Museum</td><td align="right">455,75</td><td align="right">+11,3&nbsp;%</td></tr>
    </tbody></table>`,
  text: "Besuche im Jahr 2025\nMuseum\tBesuche (in Tsd.)\tVeränderung\nAlbertina\t1.012,5\t+4,1 %\nBelvedere\t1.745,3\t−2,0 %\nNaturhistorisches Museum\t903,0\t\nTechnisches Museum\t455,75\t+11,3 %",
  values: [["Albertina", 1012.5], ["Belvedere", 1745.3], ["Naturhistorisches Museum", 903], ["Technisches Museum", 455.75]],
};
