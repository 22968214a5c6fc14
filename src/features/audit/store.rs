//! SQL of table `audit_event`.

use rusqlite::Row;
use rusqlite::named_params;
use rusqlite::types::Type;
use serde_json::Value;

use super::event::Actor;
use super::event::Event;
use super::event::EventFilter;
use super::event::EventTarget;
use super::event::StoredTarget;
use chartroom_platform::db::Tx;
use chartroom_platform::db::WriteTx;
use chartroom_platform::error::Result;
use chartroom_platform::id::AccountId;
use chartroom_platform::time::Timestamp;

/// Inserts an event with its target and details. The client is the origin of the transaction.
pub fn insert_event(
    tx: &WriteTx<'_>,
    org: &AccountId,
    action: &str,
    actor: &Actor,
    (target, details): (&EventTarget, &Value),
) -> Result<()> {
    let ip_address = tx.origin.ip_address.map(|address| address.to_string());
    tx.execute(
        "insert into audit_event (org_id, created, action, actor_type, actor_id, actor_name,
                                  actor_email, target_type, target_id, target_name, ip_address,
                                  user_agent, details)
         values (:org, :created, :action, :actor_type, :actor_id, :actor_name, :actor_email,
                 :target_type, :target_id, :target_name, :ip_address, :user_agent, :details)",
        named_params! {
            ":org": org,
            ":created": tx.now,
            ":action": action,
            ":actor_type": actor.kind,
            ":actor_id": actor.id,
            ":actor_name": actor.name,
            ":actor_email": actor.email,
            ":target_type": target.kind,
            ":target_id": target.id,
            ":target_name": target.name,
            ":ip_address": ip_address.unwrap_or_default(),
            ":user_agent": tx.origin.user_agent,
            ":details": details.to_string(),
        },
    )?;
    Ok(())
}

/// Returns the name and the e-mail address of a user (reads `user`), or None if there is no such user.
///
/// The feature `accounts` is below this one, because it records events too.
pub fn find_name_and_email(tx: &Tx<'_>, user: &AccountId) -> Result<Option<(String, String)>> {
    tx.find("select name, email from user where id = :id", named_params! { ":id": user }, |row| {
        Ok((row.get("name")?, row.get("email")?))
    })
}

/// Condition for events of an action and a target after a time.
const IS_SAME_EVENT: &str = "org_id = :org and target_id = :target and action = :action
     and created > :since";

/// Returns whether an event with this action, target and actor exists after a time.
pub fn is_recorded_of_actor(
    tx: &Tx<'_>,
    org: &AccountId,
    action: &str,
    target: &EventTarget,
    (actor, since): (&Actor, Timestamp),
) -> Result<bool> {
    tx.one(
        &format!(
            "select exists (select 1 from audit_event indexed by audit_event_target
                            where {IS_SAME_EVENT}
                              and actor_type = :actor_type and actor_id = :actor_id)"
        ),
        named_params! {
            ":org": org,
            ":target": target.id,
            ":action": action,
            ":since": since,
            ":actor_type": actor.kind,
            ":actor_id": actor.id,
        },
        |row| row.get(0),
    )
}

/// Returns whether an event with this action, target and details exists after a time that comes from
/// the address of the client.
pub fn is_recorded_of_address(
    tx: &WriteTx<'_>,
    org: &AccountId,
    action: &str,
    target: &EventTarget,
    (details, since): (&Value, Timestamp),
) -> Result<bool> {
    let ip_address = tx.origin.ip_address.map(|address| address.to_string());
    tx.one(
        &format!(
            "select exists (select 1 from audit_event indexed by audit_event_target
                            where {IS_SAME_EVENT}
                              and ip_address = :ip_address and details = :details)"
        ),
        named_params! {
            ":org": org,
            ":target": target.id,
            ":action": action,
            ":since": since,
            ":ip_address": ip_address.unwrap_or_default(),
            ":details": details.to_string(),
        },
        |row| row.get(0),
    )
}

/// Returns the query for events, newest first. Each condition of the filter that is present adds a
/// condition, so that SQLite selects the index for exactly these conditions.
fn select_events(filter: &EventFilter) -> String {
    let mut conditions = String::new();
    let mut add = |is_present: bool, condition: &str| {
        if is_present {
            conditions.push_str(condition);
        }
    };
    add(filter.user.is_some(), " and actor_id = :user");
    add(filter.action.is_some(), " and action = :action");
    add(filter.to.is_some(), " and created < :to");
    add(
        filter.text.is_some(),
        " and (action like :text escape '\\' or actor_name like :text escape '\\'
               or actor_email like :text escape '\\' or target_id like :text escape '\\'
               or target_name like :text escape '\\' or ip_address like :text escape '\\')",
    );
    // Without statistics, SQLite takes the first index that fits. The index of the actor is
    // preferred over the index of the action, because an actor has few events.
    let index = match (&filter.user, &filter.action) {
        (Some(_), _) => "audit_event_actor",
        (None, Some(_)) => "audit_event_action",
        (None, None) => "audit_event_org",
    };
    format!(
        "select id, created, action, actor_type, actor_id, actor_name, actor_email, target_type,
                target_id, target_name, ip_address, user_agent, details
         from audit_event indexed by {index}
         where org_id = :org and created >= :from{conditions}
         order by created desc, id desc
         limit :limit offset :offset"
    )
}

/// Calls `visit` for the events of an organization since `from` that match the other conditions of a
/// filter, newest first: at most `limit` after the first `offset`, until it returns false. Ignores
/// `from` of the filter.
pub fn visit_events(
    tx: &Tx<'_>,
    org: &AccountId,
    from: Timestamp,
    filter: &EventFilter,
    (offset, limit): (u32, u32),
    visit: &mut dyn FnMut(Event) -> Result<bool>,
) -> Result<()> {
    let mut params: Vec<(&str, &dyn rusqlite::ToSql)> =
        vec![(":org", org), (":from", &from), (":limit", &limit), (":offset", &offset)];
    let pattern = filter.text.as_deref().map(like_pattern);
    if let Some(user) = &filter.user {
        params.push((":user", user));
    }
    if let Some(action) = &filter.action {
        params.push((":action", action));
    }
    if let Some(to) = &filter.to {
        params.push((":to", to));
    }
    if let Some(pattern) = &pattern {
        params.push((":text", pattern));
    }
    let mut statement = tx.prepare_cached(&select_events(filter))?;
    let mut rows = statement.query(params.as_slice())?;
    while let Some(row) = rows.next()? {
        if !visit(event_from_row(row)?)? {
            break;
        }
    }
    Ok(())
}

/// Returns the pattern of `like` for texts that contain `text`, with a backslash as escape
/// character.
fn like_pattern(text: &str) -> String {
    let mut pattern = String::from("%");
    for letter in text.chars() {
        if matches!(letter, '%' | '_' | '\\') {
            pattern.push('\\');
        }
        pattern.push(letter);
    }
    pattern.push('%');
    pattern
}

/// Reads the columns of `select_events`.
fn event_from_row(row: &Row<'_>) -> rusqlite::Result<Event> {
    Ok(Event {
        id: row.get::<_, i64>("id")?.to_string(),
        created: row.get("created")?,
        action: row.get("action")?,
        actor: Actor {
            id: row.get("actor_id")?,
            name: row.get("actor_name")?,
            email: row.get("actor_email")?,
            kind: row.get("actor_type")?,
        },
        target: StoredTarget {
            kind: row.get("target_type")?,
            id: row.get("target_id")?,
            name: row.get("target_name")?,
        },
        ip_address: row.get("ip_address")?,
        user_agent: row.get("user_agent")?,
        details: parse_details(row)?,
    })
}

/// Reads the details of an event.
fn parse_details(row: &Row<'_>) -> rusqlite::Result<Value> {
    let column = row.as_ref().column_index("details")?;
    let text: String = row.get(column)?;
    serde_json::from_str(&text).map_err(|error| {
        rusqlite::Error::FromSqlConversionFailure(column, Type::Text, Box::new(error))
    })
}

/// Query for the ids of the oldest events before a time, at most a limit.
const SELECT_OLDEST: &str =
    "select id from audit_event where created < :time order by created limit :limit";

/// Deletes at most `limit` events before `time`, oldest first. Returns their number.
pub fn delete_events_before(tx: &WriteTx<'_>, time: Timestamp, limit: u32) -> Result<usize> {
    tx.execute(
        &format!("delete from audit_event where id in ({SELECT_OLDEST})"),
        named_params! { ":time": time, ":limit": limit },
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use chartroom_platform::db::schema::explain;

    #[test]
    fn every_filter_reads_an_index_in_its_order() {
        for bits in 0..16_u8 {
            let has = |bit: u8| bits >> bit & 1 == 1;
            let text = |bit: u8| has(bit).then(|| "x".to_owned());
            let filter = EventFilter {
                from: None,
                to: has(0).then_some(Timestamp(5)),
                action: text(1),
                user: text(2),
                text: text(3),
            };
            let plan = explain(&select_events(&filter)).unwrap();
            let index = match (has(2), has(1)) {
                (true, _) => "audit_event_actor (org_id=? AND actor_id=? AND created>",
                (false, true) => "audit_event_action (org_id=? AND action=? AND created>",
                (false, false) => "audit_event_org (org_id=? AND created>",
            };
            assert_eq!(plan.len(), 1, "a step sorts: {plan:?}");
            assert!(
                plan[0].contains(&format!("SEARCH audit_event USING INDEX {index}")),
                "{plan:?}"
            );
        }
    }

    #[test]
    fn purge_reads_an_index() {
        let plan = explain(SELECT_OLDEST).unwrap();
        assert_eq!(
            plan,
            ["SEARCH audit_event USING COVERING INDEX audit_event_created (created<?)"]
        );
    }

    #[test]
    fn like_pattern_matches_literally() {
        assert_eq!(like_pattern(r"50%_a\b"), r"%50\%\_a\\b%");
    }
}
