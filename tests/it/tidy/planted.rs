//! Planted violations of each rule, and texts that each rule must accept.

use super::rules;
use super::rules::Rule;

/// A rule, the path of a file, and its text.
type RuleCase = (Rule, &'static str, &'static str);

/// Texts that break their rule exactly once.
pub const VIOLATIONS: &[RuleCase] = &[
    (rules::check_header, "src/a.rs", "use std::fs;\n//! Too late.\n"),
    (rules::check_module_order, "src/features/orgs/a.rs", "use crate::features::documents;"),
    (rules::check_module_order, "src/features/orgs/a.rs", "use super::super::documents::x;"),
    (rules::check_module_order, "src/features/orgs/a.rs", "use crate::routes;"),
    (rules::check_module_order, "src/features/orgs/a.rs", "use crate::cli::Shell;"),
    (rules::check_module_order, "src/routes.rs", "use crate::tasks;"),
    (rules::check_module_order, "src/tasks.rs", "use crate::cli;"),
    (rules::check_layers, "src/features/orgs/store.rs", "use super::http;"),
    (rules::check_layers, "src/features/orgs/rules.rs", "use chartroom_platform::http::Request;"),
    (rules::check_layers, "src/features/orgs/http.rs", "store::find(tx, id)"),
    (rules::check_layers, "src/features/orgs/teams/http.rs", "use super::store;"),
    (
        rules::check_layers,
        "src/features/documents/http/read.rs",
        "use crate::features::documents::store;",
    ),
    (rules::check_layers, "src/features/orgs/tasks.rs", "store::purge(tx)"),
    (rules::check_language, "src/a.rs", "/// Returns his name."),
    (rules::check_language, "src/a.rs", "//! Account whose node it is."),
    (rules::check_language, "src/a.rs", "fn f() {} // Built anew."),
    (rules::check_language, "src/a.rs", "/// What is drawn."),
    (rules::check_language, "tests/it/a.rs", "/// Who may read it."),
    (rules::check_language, "src/a.rs", "f(\"ask him\")"),
    (rules::check_language, "src/a.rs", "const MOST_BYTES: usize = 1;"),
    (rules::check_language, "src/a.rs", "static LONGEST: usize = 1;"),
    (rules::check_imports, "src/a.rs", "use crate::{platform, charts};"),
    (rules::check_imports, "src/a.rs", "use std::fs::*;"),
    (
        rules::check_table_owners,
        "src/features/orgs/store.rs",
        "\"insert into user (id) values (1)\"",
    ),
    (
        rules::check_table_owners,
        "src/features/orgs/store.rs",
        "\"update or ignore user set id = 1\"",
    ),
    (rules::check_table_owners, "src/features/accounts/store.rs", "r#\"delete from chunk\"#"),
    (rules::check_table_owners, "src/features/accounts/store.rs", "\"update task set a = 1\""),
    (rules::check_sql_location, "src/features/orgs/actions.rs", "tx.find(\"select id from user\")"),
    (rules::check_sql_location, "src/cli/user.rs", "\"pragma user_version\""),
    (rules::check_sql_determinism, "src/platform/a.rs", "\"select datetime('now') from task\""),
    (rules::check_sql_determinism, "src/platform/a.rs", "\"insert into task values (random())\""),
    (rules::check_async, "src/features/orgs/http.rs", "async fn get() {}"),
    (rules::check_async, "src/platform/http/tls.rs", "let a = b.await;"),
    (rules::check_unwraps, "src/a.rs", "let a = b.unwrap();\n#[cfg(test)]\nmod tests {}"),
    (rules::check_clock, "src/features/orgs/rules.rs", "let now = SystemTime::now();"),
    (rules::check_file_names, "src/features/orgs/utils.rs", "//! Things."),
];

/// Texts that their rule accepts.
pub const ACCEPTED: &[RuleCase] = &[
    (rules::check_header, "src/a.rs", "//! A file with a header.\n"),
    (rules::check_module_order, "src/features/orgs/a.rs", "use crate::features::accounts;"),
    (rules::check_module_order, "src/features/orgs/a.rs", "use crate::features::orgs::rules;"),
    (
        rules::check_module_order,
        "src/features/orgs/a.rs",
        "use chartroom_charts::Scene; use crate::app::App;",
    ),
    (rules::check_module_order, "src/cli/serve.rs", "use crate::routes; use crate::tasks;"),
    (rules::check_layers, "src/features/orgs/http.rs", "use super::actions;"),
    (rules::check_layers, "src/features/orgs/actions.rs", "store::find(tx, id)"),
    (rules::check_layers, "src/features/orgs/http.rs", "// store::find\nlet restored::Of(a) = b;"),
    (rules::check_language, "src/a.rs", "/// Whatever the history says, thematic hints count."),
    (rules::check_language, "src/a.rs", "// What follows is short.\nconst ALMOST: usize = 1;"),
    (rules::check_imports, "src/a.rs", "mod tests { use super::*; }"),
    (rules::check_table_owners, "src/features/accounts/store.rs", "\"update user set id = 1\""),
    (rules::check_table_owners, "src/features/orgs/store.rs", "\"select id from user\""),
    (rules::check_sql_location, "src/features/orgs/store.rs", "\"select id from user\""),
    (rules::check_sql_location, "src/features/orgs/http.rs", "\"update your password\""),
    (rules::check_sql_determinism, "src/platform/a.rs", "\"select :now from task\""),
    (rules::check_async, "src/platform/http/server.rs", "async fn serve() {}"),
    (rules::check_async, "src/a.rs", "// async\nlet a = \"await\";"),
    (rules::check_unwraps, "src/a.rs", "a.unwrap_or(1);\n#[cfg(test)]\nmod tests { b.unwrap() }"),
    (rules::check_clock, "src/platform/time.rs", "SystemTime::now()"),
];
