//! Simulations of schedules, failures and changes of the clock.

use super::*;

/// Milliseconds of a day.
const DAY: i64 = 86_400_000;
/// 2026-01-01T00:00:00Z, a Thursday.
const START: i64 = 1_767_225_600_000;
/// End of the simulated time.
const END: i64 = START + 2 * 365 * DAY;

const LIMITS: Limits = Limits { min_interval: 60, spread: 120 };

/// Returns a job that was created at the start.
fn job(interval_sec: f64, time_of_day: &str, day_of_week: Option<i64>) -> SyncJob {
    SyncJob {
        document: NodeId::from_text("0191a9a1-0000-7000-8000-000000000001"),
        id: "1".to_owned(),
        creator: None,
        url: String::new(),
        settings: None,
        sheet_name: None,
        sheet_id: None,
        interval_sec,
        time_of_day: Some(time_of_day.to_owned()),
        day_of_week,
        created: Timestamp(START),
        run: RunRecord {
            next_at: None,
            due: Some(Timestamp(START)),
            downloaded_at: None,
            error: None,
            is_stopped: false,
            failures: 0,
            told: None,
            mailed: None,
            etag: None,
            revision: None,
            mapping: None,
            found_sheet: None,
            is_only_sheet: false,
        },
    }
}

fn failure(kind: FailureKind) -> Failure {
    Failure { message: "fails".to_owned(), kind, retry_after: None }
}

/// A sequence of numbers without a pattern (xorshift).
struct Random(u64);

impl Random {
    fn below(&mut self, limit: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % limit
    }
}

#[test]
fn in_two_years_each_time_of_a_schedule_has_exactly_one_run() {
    for (interval, time, day) in [
        (600.0, "00:07", None),
        (3600.0, "09:30", None),
        (25_200.0, "06:00", None),
        (86_400.0, "23:59", None),
        (172_800.0, "09:30", None),
        (604_800.0, "09:30", Some(1)),
        (2_592_000.0, "00:00", None),
    ] {
        let mut job = job(interval, time, day);
        let mut now = Timestamp(START);
        let mut expected = None;
        let mut runs = 0;
        while now.0 < END {
            // A download takes some seconds.
            now = Timestamp(now.0 + 3000);
            let (record, mail) = successful_run(&job, None, now, LIMITS).unwrap();
            assert_eq!(mail, None);
            job.run = record;
            let (next_at, due) = (job.run.next_at.unwrap(), job.run.due.unwrap());
            let schedule = job.schedule().unwrap();
            if let Some(previous) = expected {
                let after: i64 = previous;
                assert_eq!(schedule.next_slot(after, 60).map(|slot| slot * 1000), Some(next_at.0));
            }
            expected = Some(next_at.0 / 1000);
            assert!((0..120_000).contains(&(due.0 - next_at.0)), "{interval}");
            now = due;
            runs += 1;
        }
        // Short intervals begin again each day.
        let expected = match interval < 86_400.0 {
            true => 730.0 * (86_400.0 / interval).ceil(),
            false => 730.0 * 86_400.0 / interval,
        };
        assert!((f64::from(runs) - expected).abs() <= 2.0, "{interval}: {runs}, not {expected}");
    }
}

#[test]
fn restarts_clock_changes_and_failures_lose_no_job() {
    for seed in 1..=20_u64 {
        let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15));
        let mut job = job(3600.0, "00:15", None);
        let mut now = Timestamp(START);
        let mut mails = Vec::new();
        while now.0 < END {
            let kind = match random.below(100) {
                0..90 => None,
                90..96 => Some(FailureKind::Transient),
                96..98 => Some(FailureKind::Final),
                _ => Some(FailureKind::Stopped),
            };
            let result = match kind {
                None => successful_run(&job, None, now, LIMITS),
                Some(kind) => {
                    let seed = u8::try_from(random.below(256)).unwrap();
                    failed_run(&job, &failure(kind), now, seed, LIMITS)
                }
            };
            let (record, mail) = result.unwrap();
            job.run = record;
            mails.extend(mail.map(|mail| (mail, now)));
            let due = job.run.due.unwrap();
            assert!(due > now, "a run is always followed by another one, later");
            assert!(due.0 - now.0 <= 2 * DAY, "seed {seed}: {}", due.0 - now.0);
            now = match random.below(200) {
                // Downtime: the next start runs the job once.
                0 => Timestamp(due.0 + i64::try_from(random.below(10)).unwrap() * DAY),
                // The clock goes back a day. The job must not wait for the old time.
                1 => {
                    let back = Timestamp(now.0 - DAY);
                    if let Some((next_at, due)) = find_earlier_run(&job, LIMITS, back) {
                        (job.run.next_at, job.run.due) = (next_at, due);
                    }
                    let due = job.run.due.unwrap();
                    let limit = if job.run.failures == 0 { 3_720_000 } else { 2 * DAY };
                    assert!(due.0 - back.0 <= limit, "seed {seed}: {}", due.0 - back.0);
                    due
                }
                _ => due,
            };
        }
        check_mails(&mails);
    }
}

/// Panics unless mails about failures and recoveries alternate, and at least a day is between two mails
/// about failures, apart from changes of the clock.
fn check_mails(mails: &[(MailKind, Timestamp)]) {
    for pair in mails.windows(2) {
        assert_ne!(pair[0].0, pair[1].0);
    }
    let failing: Vec<Timestamp> = mails
        .iter()
        .filter(|(kind, _)| *kind == MailKind::Failing)
        .map(|(_, time)| *time)
        .collect();
    assert!(failing.windows(2).all(|pair| pair[1].0 - pair[0].0 >= DAY));
}

#[test]
fn after_ten_failures_a_job_runs_once_a_day_and_recovers() {
    let mut job = job(600.0, "00:00", None);
    let mut now = Timestamp(START);
    for count in 1..=20 {
        let failed = failed_run(&job, &failure(FailureKind::Final), now, 0, LIMITS).unwrap();
        assert_eq!(failed.1, (count == 3).then_some(MailKind::Failing), "{count}");
        job.run = failed.0;
        let wait = job.run.due.unwrap().0 - now.0;
        let expected = if count < 10 { 1..=630_000 } else { DAY..=DAY + 630_000 };
        assert!(expected.contains(&wait), "{count}: {wait}");
        now = job.run.due.unwrap();
    }
    let (record, mail) = successful_run(&job, None, now, LIMITS).unwrap();
    assert_eq!(mail, Some(MailKind::Recovered));
    job.run = record;
    assert!(job.run.due.unwrap().0 - now.0 <= 630_000);
}

#[test]
fn an_outage_does_not_delay_the_runs_of_a_schedule() {
    let mut job = job(60.0, "00:00", None);
    let mut now = Timestamp(START);
    for count in 1..=30 {
        let kind = if count % 2 == 0 { FailureKind::Transient } else { FailureKind::Stopped };
        job.run = failed_run(&job, &failure(kind), now, 255, LIMITS).unwrap().0;
        let wait = job.run.due.unwrap().0 - now.0;
        assert!((1..=63_000).contains(&wait), "{count}: {wait}");
        now = job.run.due.unwrap();
    }
}

#[test]
fn a_source_gets_no_request_before_the_time_that_it_asks_for() {
    for (interval, wanted) in [(60.0, 3600), (600.0, 3599), (86_400.0, 7200)] {
        let job = job(interval, "00:00", None);
        let failure = Failure { retry_after: Some(wanted), ..failure(FailureKind::Transient) };
        let (record, _) = failed_run(&job, &failure, Timestamp(START), 0, LIMITS).unwrap();
        let wait = record.due.unwrap().0 - START;
        let wanted = i64::try_from(wanted).unwrap() * 1000;
        assert!((wanted..=wanted + 120_000).contains(&wait), "{interval}: {wait}");
    }
}

#[test]
fn a_wrong_clock_does_not_stop_a_failing_job_for_years() {
    let mut job = job(3600.0, "00:00", None);
    let future = Timestamp(START + 3650 * DAY);
    job.run = failed_run(&job, &failure(FailureKind::Transient), future, 0, LIMITS).unwrap().0;
    let (next_at, _) = find_earlier_run(&job, LIMITS, Timestamp(START)).unwrap();
    assert_eq!(next_at.unwrap().0 - START, 3_600_000);
    job.run.failures = 20;
    job.run =
        failed_run(&job, &failure(FailureKind::Final), Timestamp(START), 0, LIMITS).unwrap().0;
    assert!(find_earlier_run(&job, LIMITS, Timestamp(START)).is_none(), "a long pause");
}

#[test]
fn a_job_without_a_schedule_is_repeated_five_times() {
    let mut job = SyncJob { time_of_day: None, ..job(0.0, "00:00", None) };
    for count in 1..=6 {
        let now = job.run.due.unwrap();
        let failed = failed_run(&job, &failure(FailureKind::Transient), now, 0, LIMITS).unwrap();
        job.run = failed.0;
        assert_eq!(job.run.due.is_some(), count <= 5, "{count}");
    }
    let (record, _) = successful_run(&job, None, Timestamp(END), LIMITS).unwrap();
    assert_eq!((record.next_at, record.due), (None, None));
}

#[test]
fn sources_decide_when_the_next_attempt_is_at_most_a_day_later() {
    let job = job(2_592_000.0, "00:00", None);
    let wait = |retry_after: u64| {
        let failure = Failure { retry_after: Some(retry_after), ..failure(FailureKind::Transient) };
        let (record, _) = failed_run(&job, &failure, Timestamp(START), 0, LIMITS).unwrap();
        record.due.unwrap().0 - START
    };
    assert_eq!((wait(0), wait(500)), (48_000, 500_000));
    assert!((DAY..=DAY + 120_000).contains(&wait(u64::MAX)));
}

#[test]
fn delays_double_up_to_six_hours() {
    let seconds = |failures, seed| retry_delay(failures, seed).as_secs_f64().round();
    assert_eq!((seconds(1, 0), seconds(1, 255)), (48.0, 72.0));
    assert_eq!((seconds(2, 0), seconds(4, 255)), (96.0, 576.0));
    for failures in [10, 17, 1000, i64::MAX] {
        assert_eq!((seconds(failures, 0), seconds(failures, 255)), (17280.0, 25920.0));
    }
}

#[test]
fn a_source_that_needs_a_change_and_runs_rarely_is_told_at_its_first_failure() {
    let mail_of = |interval: f64, kind| {
        let job = job(interval, "09:30", None);
        failed_run(&job, &failure(kind), Timestamp(START), 0, LIMITS).unwrap().1
    };
    let (weekly, frequent) = (604_800.0, 300.0);
    assert_eq!(mail_of(weekly, FailureKind::Final), Some(MailKind::Failing));
    assert_eq!(mail_of(weekly, FailureKind::Stopped), Some(MailKind::Failing));
    // The repetition comes soon.
    assert_eq!(mail_of(weekly, FailureKind::Transient), None);
    assert_eq!(mail_of(frequent, FailureKind::Final), None);
    assert_eq!(mail_of(weekly, FailureKind::Silent), None);
    // People start these runs, and see the error.
    assert_eq!(mail_of(0.0, FailureKind::Final), None);
}
