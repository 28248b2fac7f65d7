-- Up Migration

-- What administrators have done, rebuilt from the service's own log. The id is that of the event that tells of it.
create table activity (
  id uuid primary key,
  taken_at timestamptz not null,
  actor_id bigint not null,
  action text not null,
  target_kind text not null,
  target_id text not null,
  reason text,
  before jsonb not null,
  after jsonb not null
);
create index activity_by_time on activity (taken_at, id);
create index activity_of_actor on activity (actor_id, taken_at, id);
create index activity_of_target on activity (target_kind, target_id, taken_at, id);
create index activity_by_action on activity (action, taken_at, id);

-- Down Migration
drop table activity;
