"""Writes the seeds of the table targets into fuzz/corpus: the fixtures of the tests, and the parts of their files.

Needs only the standard library of Python. Run it in the folder of this file.
"""

import pathlib
import zipfile

FIXTURES = pathlib.Path("../tests/it/tables/fixtures")
CORPUS = pathlib.Path("corpus")
MAX_SEED_BYTES = 1 << 16
"""Larger inputs make the fuzzer slow."""

TEXTS = {
    "csv": [
        "Month;Sales (€);Share\nJan 26;1.234,50;12,5 %\nFeb 26;-;(3)\nTotal;1.234,50;\n",
        "# title\n\nCountry,2023,2024\nGermany,1 284,1 301\nIndia[a],12.5k,n/a\n",
        'Task,Start,"End\nof it",Dauer (Tage)\nA,31.12.2023,1/2/24,5\nB,2023-Q4,KW 14,3\n',
        "Name\tWert\r\nAnna\t95,5\r\nBernd\t1’234.50\r\n",
    ],
    "html": [
        "<table><caption>Sales</caption><tr><th>Name<th colspan=2>Value<tr><td rowspan=2>A<td>1<td>2<tr><td>3</table>",
        "<meta charset=windows-1252><table><thead><tr><th>x</th></tr></thead><tbody><tr><td>4&nbsp;000</td></tr></table>",
    ],
    "json": [
        '[{"name": "A", "value": "95,5"}, {"name": "B", "value": 1e3, "more": null}]',
        '[["Name", "Value"], ["A", 1], ["B", "2 km"], [true, {"a": [1]}]]',
    ],
}


def write_seed(target: str, name: str, content: bytes) -> None:
    """Writes a seed unless it is too large."""
    folder = CORPUS / target
    folder.mkdir(parents=True, exist_ok=True)
    if len(content) <= MAX_SEED_BYTES:
        (folder / name).write_bytes(content)


for target, texts in TEXTS.items():
    for index, text in enumerate(texts):
        write_seed(target, f"{index}", text.encode())
        write_seed(target, f"{index}-utf16", text.encode("utf-16"))
for file in sorted(FIXTURES.glob("*.*s*")):
    target = file.suffix.removeprefix(".")
    if target not in ("xlsx", "xlsb", "xls", "ods"):
        continue
    write_seed(target, file.name, file.read_bytes())
    if target == "xls":
        # Most programs write the records of the workbook first, from the first sector on.
        records = file.read_bytes()[512:]
        if records.startswith(b"\x09\x08"):
            write_seed(target, f"{file.name}-records", records)
        continue
    with zipfile.ZipFile(file) as archive:
        for part in archive.namelist():
            if part.endswith((".xml", ".bin")):
                write_seed(target, f"{file.name}-{part.replace('/', '-')}", archive.read(part))
