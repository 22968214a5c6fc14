//! The shape of a schema as sorted lines, to compare a database with what it should be.
//!
//! SQLite's stored text is of no use for this: it differs after an `alter table`.

use rusqlite::Connection;
use rusqlite::types::Value;

use crate::error::Result;

/// One line for each table, column, foreign key, check, index and index column. Tables of SQLite's
/// own and of Litestream are left out.
pub fn of(connection: &Connection) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let tables = rows(
        connection,
        "select name, type, wr, strict from pragma_table_list where schema = 'main' \
         and name not like 'sqlite\\_%' escape '\\' and name not like '\\_litestream%' escape '\\'",
        "",
    )?;
    for table in tables {
        let name = table.split('|').next().unwrap_or_default().to_owned();
        lines.push(format!("table {table}"));
        for (what, sql) in [
            (
                "column",
                "select name, type, \"notnull\", dflt_value, pk, hidden from pragma_table_xinfo(?1)",
            ),
            (
                "foreign key",
                "select \"from\", \"table\", \"to\", on_update, on_delete \
                 from pragma_foreign_key_list(?1)",
            ),
            (
                "index",
                // An index of SQLite's own is known by its columns: its name is a running number.
                "select case l.origin when 'c' then l.name else l.origin end, l.\"unique\", \
                 l.partial, x.seqno, x.name, x.desc, x.coll \
                 from pragma_index_list(?1) l, pragma_index_xinfo(l.name) x where x.key = 1",
            ),
        ] {
            let found = rows(connection, sql, &name)?;
            lines.extend(found.into_iter().map(|line| format!("{name} {what} {line}")));
        }
        for sql in rows(connection, "select sql from sqlite_schema where tbl_name = ?1", &name)? {
            lines.extend(conditions(&sql).into_iter().map(|it| format!("{name} {it}")));
        }
    }
    lines.sort();
    Ok(lines)
}

/// The shape that a text of SQL makes of an empty database.
pub fn of_sql(sql: &str) -> Result<Vec<String>> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(sql)?;
    of(&connection)
}

/// What is in one list and not in the other: `- ` missing from `found`, `+ ` not expected.
pub fn differences(expected: &[String], found: &[String]) -> Vec<String> {
    let missing = expected.iter().filter(|it| !found.contains(it)).map(|it| format!("- {it}"));
    let extra = found.iter().filter(|it| !expected.contains(it)).map(|it| format!("+ {it}"));
    missing.chain(extra).collect()
}

/// The rows as text, columns divided by `|`.
fn rows(connection: &Connection, sql: &str, table: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let wanted = statement.parameter_count();
    let params = rusqlite::params_from_iter([table].into_iter().take(wanted));
    let rows = statement.query_map(params, |row| {
        let values: rusqlite::Result<Vec<String>> =
            (0..columns).map(|at| Ok(text(row.get(at)?))).collect();
        Ok(values?.join("|"))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

fn text(value: Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}

/// The `check (…)` and `where …` conditions and index expressions, which no pragma tells, from a
/// `create` statement without its comments.
fn conditions(sql: &str) -> Vec<String> {
    let plain: Vec<&str> =
        sql.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
    let plain = plain.join(" ").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    if plain.starts_with("create index") || plain.starts_with("create unique index") {
        return vec![plain.replace("if not exists ", "").replace('"', "")];
    }
    plain.match_indices("check (").map(|(at, _)| enclosed(&plain[at..]).to_owned()).collect()
}

/// Up to the bracket that closes the first one.
fn enclosed(text: &str) -> &str {
    let mut depth = 0;
    for (at, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return &text[..=at],
            ')' => depth -= 1,
            _ => {}
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    const TABLE: &str =
        "create table t (id text primary key, n integer check (n in (0, 1))) strict;";

    #[test]
    fn the_way_to_a_schema_does_not_matter_but_every_part_of_it_does() {
        let straight = of_sql(&format!("{TABLE} create index i on t (n) where n = 1;")).unwrap();
        let altered = of_sql(
            "create table t (id text primary key) strict;
             alter table t add column n integer check (n in (0, 1)); -- a comment
             create index  i on t (n)\n where n = 1;",
        );
        assert_eq!(differences(&straight, &altered.unwrap()), Vec::<String>::new());
        for other in [
            TABLE.to_owned(),
            format!("{TABLE} create index i on t (n) where n = 0;"),
            format!("{TABLE} create unique index i on t (n) where n = 1;"),
            TABLE.replace("(0, 1)", "(0, 2)") + "create index i on t (n) where n = 1;",
            TABLE.replace(" strict", "") + "create index i on t (n) where n = 1;",
        ] {
            assert!(!differences(&straight, &of_sql(&other).unwrap()).is_empty(), "{other}");
        }
    }
}
