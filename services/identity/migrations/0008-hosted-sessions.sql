-- Up Migration

-- The sessions of a hosted auth provider that have been seen here. One that was and is not among `sessions` any more was
-- ended here, and does not come back although the provider's token is still good.
create table hosted_sessions (
  id uuid primary key,
  user_id bigint not null references people on delete cascade,
  first_seen_at timestamptz not null
);
create index hosted_sessions_by_user on hosted_sessions (user_id);

-- Down Migration
drop table hosted_sessions;
