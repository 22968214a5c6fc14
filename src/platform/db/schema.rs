//! Descriptions of a schema as sorted lines, to compare a database with the expected schema, and query
//! plans.
//!
//! The SQL text that SQLite stores is not comparable, because `alter table` changes its format.

use rusqlite::Connection;
use rusqlite::types::Value;

use super::upgrade;
use crate::error::Result;

/// Returns one line per table, view, column, foreign key, check, index column, created index and
/// trigger, sorted.
///
/// Each line starts with the table name, except those of tables, which start with `table`. Skips
/// the internal tables of SQLite and Litestream.
pub fn describe(connection: &Connection) -> Result<Vec<String>> {
    let mut lines = Vec::new();
    let tables = query_lines(
        connection,
        "select name, type, wr, strict from pragma_table_list where schema = 'main' \
         and name not like 'sqlite\\_%' escape '\\' and name not like '\\_litestream%' escape '\\'",
        "",
    )?;
    for table in tables {
        let name = table.split('|').next().unwrap_or_default().to_owned();
        lines.push(format!("table {table}"));
        for (kind, sql) in [
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
                // An automatic index is identified by its columns, because its name contains a
                // sequence number.
                "select case l.origin when 'c' then l.name else l.origin end, l.\"unique\", \
                 l.partial, x.seqno, x.name, x.desc, x.coll \
                 from pragma_index_list(?1) l, pragma_index_xinfo(l.name) x where x.key = 1",
            ),
        ] {
            let found = query_lines(connection, sql, &name)?;
            lines.extend(found.into_iter().map(|line| format!("{name} {kind} {line}")));
        }
        for sql in
            query_lines(connection, "select sql from sqlite_schema where tbl_name = ?1", &name)?
        {
            lines.extend(
                extract_conditions(&sql).into_iter().map(|condition| format!("{name} {condition}")),
            );
        }
    }
    lines.sort();
    Ok(lines)
}

/// Returns the description of the schema that `sql` creates in an empty database, see [`describe`].
pub fn describe_sql(sql: &str) -> Result<Vec<String>> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(sql)?;
    describe(&connection)
}

/// Returns the steps of the plan that SQLite chooses for a statement in an empty database with the
/// current schema. For tests of statements that must not read whole tables.
pub fn explain(sql: &str) -> Result<Vec<String>> {
    let connection = Connection::open_in_memory()?;
    connection.execute_batch(upgrade::SCHEMA)?;
    let mut statement = connection.prepare(&format!("explain query plan {sql}"))?;
    // The parameters have no values, which the plan does not depend on.
    let steps = statement.raw_query().mapped(|row| row.get("detail"));
    Ok(steps.collect::<rusqlite::Result<_>>()?)
}

/// Returns the steps of [`explain`] that read a whole table, index or subquery.
pub fn full_scans(sql: &str) -> Result<Vec<String>> {
    Ok(explain(sql)?.into_iter().filter(|step| step.starts_with("SCAN")).collect())
}

/// Returns the lines that are in only one list: first the lines that only `expected` has, with the
/// prefix `- `, then the lines that only `found` has, with the prefix `+ `.
pub fn differences(expected: &[String], found: &[String]) -> Vec<String> {
    let missing =
        expected.iter().filter(|line| !found.contains(line)).map(|line| format!("- {line}"));
    let extra =
        found.iter().filter(|line| !expected.contains(line)).map(|line| format!("+ {line}"));
    missing.chain(extra).collect()
}

/// Returns the rows of a query as text, with `|` between the columns.
///
/// `table` is the parameter of the query, if it has one.
fn query_lines(connection: &Connection, sql: &str, table: &str) -> Result<Vec<String>> {
    let mut statement = connection.prepare(sql)?;
    let columns = statement.column_count();
    let parameters = statement.parameter_count();
    let params = rusqlite::params_from_iter([table].into_iter().take(parameters));
    let rows = statement.query_map(params, |row| {
        let values: rusqlite::Result<Vec<String>> =
            (0..columns).map(|index| Ok(format_value(row.get(index)?))).collect();
        Ok(values?.join("|"))
    })?;
    Ok(rows.collect::<rusqlite::Result<_>>()?)
}

/// Formats a value of a column as text: `null` for a missing value, and only the length of a blob.
fn format_value(value: Value) -> String {
    match value {
        Value::Null => "null".to_owned(),
        Value::Integer(number) => number.to_string(),
        Value::Real(number) => number.to_string(),
        Value::Text(text) => text,
        Value::Blob(bytes) => format!("{} bytes", bytes.len()),
    }
}

/// Returns the parts of a `create` statement that no pragma reports: the `check (…)` conditions of
/// a table, or the whole statement of an index or a trigger.
///
/// Removes `--` comments and normalizes spaces and case. Finds only conditions with a space after
/// `check`.
fn extract_conditions(sql: &str) -> Vec<String> {
    let plain: Vec<&str> =
        sql.lines().map(|line| line.split("--").next().unwrap_or_default()).collect();
    let plain = plain.join(" ").split_whitespace().collect::<Vec<_>>().join(" ").to_lowercase();
    let is_whole = ["create index", "create unique index", "create trigger"]
        .iter()
        .any(|start| plain.starts_with(start));
    if is_whole {
        return vec![plain.replace("if not exists ", "").replace('"', "")];
    }
    plain
        .match_indices("check (")
        .map(|(start, _)| take_through_closing_parenthesis(&plain[start..]).to_owned())
        .collect()
}

/// Returns `text` up to and including the parenthesis that closes the first one, or the whole text
/// if it is not closed.
fn take_through_closing_parenthesis(text: &str) -> &str {
    let mut depth = 0;
    for (index, letter) in text.char_indices() {
        match letter {
            '(' => depth += 1,
            ')' if depth == 1 => return &text[..=index],
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

    const TRIGGER: &str = "create trigger d after delete on t begin delete from t; end;";

    #[test]
    fn descriptions_depend_on_the_schema_and_not_on_its_history() {
        let created =
            describe_sql(&format!("{TABLE} create index i on t (n) where n = 1;")).unwrap();
        let altered = describe_sql(
            "create table t (id text primary key) strict;
             alter table t add column n integer check (n in (0, 1)); -- a comment
             create index  i on t (n)\n where n = 1;",
        );
        assert_eq!(differences(&created, &altered.unwrap()), Vec::<String>::new());
        for other in [
            TABLE.to_owned(),
            format!("{TABLE} create index i on t (n) where n = 0;"),
            format!("{TABLE} create unique index i on t (n) where n = 1;"),
            TABLE.replace("(0, 1)", "(0, 2)") + "create index i on t (n) where n = 1;",
            format!("{TABLE} create index i on t (n) where n = 1; {TRIGGER}"),
            TABLE.replace(" strict", "") + "create index i on t (n) where n = 1;",
        ] {
            assert!(!differences(&created, &describe_sql(&other).unwrap()).is_empty(), "{other}");
        }
    }
}
