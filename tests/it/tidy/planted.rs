//! Planted violations of each rule, and what must pass.

use super::rules;
use super::rules::Rule;

/// A rule, a path, and a text.
type Case = (Rule, &'static str, &'static str);

/// What the rules must catch: one complaint each.
pub const CAUGHT: &[Case] = &[
    (rules::header, "src/a.rs", "use std::fs;\n//! Too late.\n"),
    (rules::tiers, "src/charts/a.rs", "use crate::platform::time;"),
    (rules::tiers, "src/charts/a.rs", "fn f() { crate::features::orgs::g() }"),
    (rules::tiers, "src/platform/a.rs", "use crate::features::orgs;"),
    (rules::tiers, "src/platform/a.rs", "use crate::charts::Scene;"),
    (rules::tiers, "src/features/orgs/a.rs", "use crate::features::documents;"),
    (rules::tiers, "src/features/orgs/a.rs", "use super::super::documents::x;"),
    (rules::tiers, "src/features/orgs/a.rs", "use crate::routes;"),
    (rules::tiers, "src/features/orgs/a.rs", "use crate::cli::Shell;"),
    (rules::tiers, "src/routes.rs", "use crate::tasks;"),
    (rules::tiers, "src/tasks.rs", "use crate::cli;"),
    (rules::layers, "src/features/orgs/store.rs", "use super::http;"),
    (rules::layers, "src/features/orgs/rules.rs", "use crate::platform::http::Request;"),
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

/// What the rules must pass.
pub const PASSED: &[Case] = &[
    (rules::header, "src/a.rs", "//! What this file is.\n"),
    (rules::length, "src/a.rs", "//! Short.\n"),
    (rules::tiers, "src/charts/a.rs", "//! See crate::features.\nuse crate::charts::Scene;"),
    (rules::tiers, "src/features/orgs/a.rs", "use crate::features::accounts;"),
    (rules::tiers, "src/features/orgs/a.rs", "use crate::features::orgs::rules;"),
    (rules::tiers, "src/features/orgs/a.rs", "use crate::charts; use crate::platform::db;"),
    (rules::tiers, "src/cli/serve.rs", "use crate::routes; use crate::tasks;"),
    (rules::layers, "src/features/orgs/http.rs", "use super::actions;"),
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
