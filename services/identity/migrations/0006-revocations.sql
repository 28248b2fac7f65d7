-- Up Migration

-- Sessions that have ended, as long as an application token of theirs may still be good. Other services follow this table.
create table revoked_sessions (
  id bigint generated always as identity primary key,
  session_id uuid not null,
  user_id bigint not null,
  reason text not null,
  -- Not the beginning of the transaction: followers rely on numbers and times going roughly together.
  revoked_at timestamptz not null default clock_timestamp()
);
create index revoked_sessions_by_session on revoked_sessions (session_id);
create index revoked_sessions_by_time on revoked_sessions (revoked_at);

-- Down Migration
drop table revoked_sessions;
