-- Up Migration

-- Read models that have been filled with what the stream of events does not hold any more; deleting a row has it filled again.
create table completed_fills (
  name text primary key,
  completed_at timestamptz not null default clock_timestamp()
);

-- Down Migration
drop table completed_fills;
