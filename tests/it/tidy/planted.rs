//! Planted violations of each rule, and texts that each rule must accept.

use super::rules;
use super::rules::Rule;

/// A rule, a path, and a text.
type Case = (Rule, &'static str, &'static str);

/// Texts that break their rule exactly once.
pub const CAUGHT: &[Case] = &[
    (rules::header, "src/a.rs", "use std::fs;\n//! Too late.\n"),
    (rules::module_order, "src/features/orgs/a.rs", "use crate::features::documents;"),
    (rules::module_order, "src/features/orgs/a.rs", "use super::super::documents::x;"),
    (rules::module_order, "src/features/orgs/a.rs", "use crate::routes;"),
    (rules::module_order, "src/features/orgs/a.rs", "use crate::cli::Shell;"),
    (rules::module_order, "src/routes.rs", "use crate::tasks;"),
    (rules::module_order, "src/tasks.rs", "use crate::cli;"),
    (rules::layers, "src/features/orgs/store.rs", "use super::http;"),
    (rules::layers, "src/features/orgs/rules.rs", "use chartroom_platform::http::Request;"),
    (rules::layers, "src/features/orgs/http.rs", "store::find(tx, id)"),
    (rules::layers, "src/features/orgs/teams/http.rs", "use super::store;"),
    (
        rules::layers,
        "src/features/documents/http/read.rs",
        "use crate::features::documents::store;",
    ),
    (rules::layers, "src/features/orgs/tasks.rs", "store::purge(tx)"),
    (rules::language, "src/a.rs", "/// Returns his name."),
    (rules::language, "src/a.rs", "//! Account whose node it is."),
    (rules::language, "src/a.rs", "fn f() {} // Built anew."),
    (rules::language, "src/a.rs", "/// What is drawn."),
    (rules::language, "tests/it/a.rs", "/// Who may read it."),
    (rules::language, "src/a.rs", "f(\"ask him\")"),
    (rules::language, "src/a.rs", "const MOST_BYTES: usize = 1;"),
    (rules::language, "src/a.rs", "static LONGEST: usize = 1;"),
    (rules::imports, "src/a.rs", "use crate::{platform, charts};"),
    (rules::imports, "src/a.rs", "use std::fs::*;"),
    (rules::ownership, "src/features/orgs/store.rs", "\"insert into user (id) values (1)\""),
    (rules::ownership, "src/features/orgs/store.rs", "\"update or ignore user set id = 1\""),
    (rules::ownership, "src/features/accounts/store.rs", "r#\"delete from chunk\"#"),
    (rules::ownership, "src/features/accounts/store.rs", "\"update task set a = 1\""),
    (rules::sql_place, "src/features/orgs/actions.rs", "tx.find(\"select id from user\")"),
    (rules::sql_place, "src/cli/user.rs", "\"pragma user_version\""),
    (rules::sql_replay, "src/platform/a.rs", "\"select datetime('now') from task\""),
    (rules::sql_replay, "src/platform/a.rs", "\"insert into task values (random())\""),
    (rules::asynchronous, "src/features/orgs/http.rs", "async fn get() {}"),
    (rules::asynchronous, "src/platform/http/tls.rs", "let a = b.await;"),
    (rules::unwraps, "src/a.rs", "let a = b.unwrap();\n#[cfg(test)]\nmod tests {}"),
    (rules::clock, "src/features/orgs/rules.rs", "let now = SystemTime::now();"),
    (rules::names, "src/features/orgs/utils.rs", "//! Things."),
];

/// Texts that keep their rule.
pub const PASSED: &[Case] = &[
    (rules::header, "src/a.rs", "//! A file with a header.\n"),
    (rules::module_order, "src/features/orgs/a.rs", "use crate::features::accounts;"),
    (rules::module_order, "src/features/orgs/a.rs", "use crate::features::orgs::rules;"),
    (
        rules::module_order,
        "src/features/orgs/a.rs",
        "use chartroom_charts::Scene; use crate::app::App;",
    ),
    (rules::module_order, "src/cli/serve.rs", "use crate::routes; use crate::tasks;"),
    (rules::layers, "src/features/orgs/http.rs", "use super::actions;"),
    (rules::layers, "src/features/orgs/actions.rs", "store::find(tx, id)"),
    (rules::layers, "src/features/orgs/http.rs", "// store::find\nlet restored::Of(a) = b;"),
    (rules::language, "src/a.rs", "/// Whatever the history says, thematic hints count."),
    (rules::language, "src/a.rs", "// What follows is short.\nconst ALMOST: usize = 1;"),
    (rules::imports, "src/a.rs", "mod tests { use super::*; }"),
    (rules::ownership, "src/features/accounts/store.rs", "\"update user set id = 1\""),
    (rules::ownership, "src/features/orgs/store.rs", "\"select id from user\""),
    (rules::sql_place, "src/features/orgs/store.rs", "\"select id from user\""),
    (rules::sql_place, "src/features/orgs/http.rs", "\"update your password\""),
    (rules::sql_replay, "src/platform/a.rs", "\"select :now from task\""),
    (rules::asynchronous, "src/platform/http/server.rs", "async fn serve() {}"),
    (rules::asynchronous, "src/a.rs", "// async\nlet a = \"await\";"),
    (rules::unwraps, "src/a.rs", "a.unwrap_or(1);\n#[cfg(test)]\nmod tests { b.unwrap() }"),
    (rules::clock, "src/platform/time.rs", "SystemTime::now()"),
];
