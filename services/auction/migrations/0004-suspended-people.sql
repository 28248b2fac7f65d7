-- Up Migration

-- People who are banned, for as long as the ban lasts, or gone for good. Only those who ever were have a row. `ban_version` is that of the
-- event in the person's stream, so that an old event that comes late changes nothing; owners ask for what changed lately.
create table suspended_people (
  user_id bigint primary key,
  is_banned boolean not null default false,
  ban_version integer not null default 0,
  is_closed boolean not null default false,
  changed_at timestamptz not null default clock_timestamp()
);
create index suspended_people_by_change on suspended_people (changed_at);

-- Down Migration
drop table suspended_people;
