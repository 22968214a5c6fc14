//! The state of a domain, and its changes by lookups.

use std::time::Duration;

use rusqlite::types::{FromSql, FromSqlError, FromSqlResult};
use rusqlite::types::{ToSql, ToSqlOutput, ValueRef};

use super::rules;
use chartroom_platform::time::Timestamp;

/// Time for which the record of a verified domain is missing before the admins are told. Shorter
/// gaps are usually mistakes that somebody corrects.
const REPORT_AFTER: Duration = Duration::from_hours(72);

/// Status of a domain.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum DomainStatus {
    /// Registered, but never looked up successfully.
    Pending,
    /// The record was found.
    Verified,
    /// The last requested lookup did not find the record.
    Failed,
}

impl DomainStatus {
    /// Returns the name in the API and in the database.
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Pending => "pending",
            Self::Verified => "verified",
            Self::Failed => "failed",
        }
    }
}

impl ToSql for DomainStatus {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        Ok(ToSqlOutput::from(self.as_str()))
    }
}

impl FromSql for DomainStatus {
    /// Reads the stored name. Another text is an `InvalidType`.
    fn column_result(value: ValueRef<'_>) -> FromSqlResult<Self> {
        match value.as_str()? {
            "pending" => Ok(Self::Pending),
            "verified" => Ok(Self::Verified),
            "failed" => Ok(Self::Failed),
            _ => Err(FromSqlError::InvalidType),
        }
    }
}

/// A domain of an organization.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Domain {
    /// Name in ASCII.
    pub name: String,
    /// Status.
    pub status: DomainStatus,
    /// Text of the TXT record that proves the ownership.
    pub record_value: String,
    /// Values of the last lookup, shortened.
    pub found: Vec<String>,
    /// Time of registration.
    pub created: Timestamp,
    /// Time of the last lookup that had a result. None if there was none.
    pub last_checked: Option<Timestamp>,
    /// Time from which the domain is verified. None if it is not verified.
    pub verified_at: Option<Timestamp>,
    /// Time of the first daily check without the record. None if the record was there.
    pub missing_since: Option<Timestamp>,
    /// Time at which the admins were told that the record is missing.
    pub reported: Option<Timestamp>,
}

impl Domain {
    /// Returns a new domain that was never looked up.
    pub fn new(name: String, record_value: String, now: Timestamp) -> Self {
        Self {
            name,
            status: DomainStatus::Pending,
            record_value,
            found: Vec::new(),
            created: now,
            last_checked: None,
            verified_at: None,
            missing_since: None,
            reported: None,
        }
    }

    /// Returns the domain after a lookup that an admin requested: verified if one of `records`
    /// matches, otherwise failed. A verified domain keeps the time of its verification.
    pub fn after_requested_lookup(self, records: &[String], now: Timestamp) -> Self {
        let is_present = rules::contains_record(records, &self.record_value);
        Self {
            status: if is_present { DomainStatus::Verified } else { DomainStatus::Failed },
            verified_at: is_present.then(|| self.verified_at.unwrap_or(now)),
            found: rules::summarize_records(records),
            last_checked: Some(now),
            missing_since: None,
            reported: None,
            ..self
        }
    }

    /// Returns the domain after a daily lookup. It keeps its status. `reported` becomes `now` if the
    /// record has been missing for `REPORT_AFTER` and nobody was told in this period.
    pub fn after_daily_lookup(self, records: &[String], now: Timestamp) -> Self {
        let is_present = rules::contains_record(records, &self.record_value);
        let missing_since = (!is_present).then(|| self.missing_since.unwrap_or(now));
        let is_overdue =
            missing_since.is_some_and(|since| since.saturating_add(REPORT_AFTER) <= now);
        Self {
            found: rules::summarize_records(records),
            last_checked: Some(now),
            missing_since,
            reported: self.reported.filter(|_| !is_present).or(is_overdue.then_some(now)),
            ..self
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const HOUR: i64 = 3_600_000;

    /// Returns a domain that was verified at 0, and its record.
    fn verified_domain() -> (Domain, Vec<String>) {
        let records = vec!["chartroom-domain-verification=a".to_owned()];
        let domain = Domain::new("example.org".to_owned(), records[0].clone(), Timestamp(0));
        assert_eq!(domain.status, DomainStatus::Pending);
        (domain.after_requested_lookup(&records, Timestamp(0)), records)
    }

    #[test]
    fn a_requested_lookup_decides_the_status() {
        let (domain, records) = verified_domain();
        assert_eq!(domain.status, DomainStatus::Verified);
        assert_eq!(domain.verified_at, Some(Timestamp(0)));
        let again = domain.after_requested_lookup(&records, Timestamp(5));
        assert_eq!(
            (again.verified_at, again.last_checked),
            (Some(Timestamp(0)), Some(Timestamp(5)))
        );
        let failed = again.after_requested_lookup(&["other".to_owned()], Timestamp(6));
        assert_eq!((failed.status, failed.verified_at), (DomainStatus::Failed, None));
        assert_eq!(failed.found, ["other"]);
        let restored = failed.after_requested_lookup(&records, Timestamp(7));
        assert_eq!(restored.status, DomainStatus::Verified);
        assert_eq!(restored.verified_at, Some(Timestamp(7)));
    }

    #[test]
    fn a_missing_record_is_reported_once_after_three_days() {
        let (mut domain, records) = verified_domain();
        let mut reports = Vec::new();
        let mut check = |hour: i64, records: &[String]| {
            let now = Timestamp(hour * HOUR);
            domain = domain.clone().after_daily_lookup(records, now);
            assert_eq!(domain.status, DomainStatus::Verified);
            assert_eq!(domain.last_checked, Some(now));
            if domain.reported == Some(now) {
                reports.push(hour);
            }
        };
        check(24, &records);
        for hour in [48, 72, 96, 120, 144, 168] {
            check(hour, &[]);
        }
        // The record is back and missing again: a new period.
        check(192, &records);
        for hour in [216, 240, 264, 287, 288, 312] {
            check(hour, &[]);
        }
        assert_eq!(reports, [120, 288]);
        domain = domain.after_requested_lookup(&records, Timestamp(313 * HOUR));
        assert_eq!((domain.missing_since, domain.reported), (None, None));
    }
}
