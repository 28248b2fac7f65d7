-- Up Migration

-- What somebody may still do, where all copies of a service count together (`http/shared-rate-limit.ts`): until when the attempts so far are spent.
-- The key is a hash, for it says who. Nothing is lost with it but counts, so it need not survive a crash.
create unlogged table shared_limits (
  rule text not null,
  key text not null,
  spent_until timestamptz not null,
  primary key (rule, key)
);

create index shared_limits_by_end on shared_limits (spent_until);

-- Down Migration

drop table shared_limits;
