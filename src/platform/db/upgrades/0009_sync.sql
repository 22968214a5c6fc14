-- == Warning before administrators leave that provision users.

-- Time at which an API token of the member last provisioned users (SCIM), precise to a few minutes. Null
-- before the first time.
alter table member add column scim_used integer;

-- == Data sync.

-- Sources that keep the data of documents up to date. A document has at most one.
create table sync_job (
    document      text primary key references document (id) on delete cascade,
    -- Different for each job, so that a run of a replaced job stores nothing.
    id            text not null,
    -- The user with the access that the runs have. Null after the account was deleted.
    creator       text references user (id) on delete set null,
    -- Address of the source.
    url           text not null,
    -- JSON object of settings that each run sets, or null.
    settings      text,
    sheet_name    text,
    sheet_id      text,
    -- Seconds between two runs, as the client gave them. 0: only on request.
    interval_sec  real not null,
    -- HH:MM in UTC, or null.
    time_of_day   text,
    -- Sunday is 0.
    day_of_week   integer,
    created       integer not null,
    -- Time shown as that of the next run. Null if the job does not run by itself.
    next_at       integer,
    -- Time from which a thread runs the job: `next_at` and an offset that spreads the load.
    due           integer,
    -- Time of the last successful download.
    downloaded_at integer,
    -- Reason of the last failure. Null after a success.
    error         text,
    -- Whether the job waits for a change of access or of the document, not of the source.
    is_stopped    integer not null default 0 check (is_stopped in (0, 1)),
    -- Number of failures in a row.
    failures      integer not null default 0,
    -- Time of the mail about the present failures. Null if there was none.
    told          integer,
    -- Time of the last mail about failures. Null before the first one.
    mailed        integer,
    -- Entity tag of the last download.
    etag          text,
    -- Revision of the document after the last download. Null before the first one.
    revision      integer,
    -- JSON array with the mapping of the columns in the last run.
    mapping       text
) strict;
create index sync_job_due on sync_job (due) where due is not null;
create index sync_job_creator on sync_job (creator);

-- Table that the last successful run of a job prepared: compressed JSON.
create table sync_data (
    document text primary key references sync_job (document) on delete cascade,
    body     blob not null
) strict;
