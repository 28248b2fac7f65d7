-- Up Migration

-- The log: what has happened in this service, and at the same time its outbox. `position` alone is no order to read by,
-- for numbers are drawn before commits: a reader goes by (tx, position) and stays below the oldest running transaction.
create table events (
  stream text collate "C" not null,
  version integer not null check (version > 0),
  position bigint generated always as identity,
  tx xid8 not null default pg_current_xact_id(),
  event_id uuid not null,
  type text not null,
  data jsonb not null,
  metadata jsonb not null,
  recorded_at timestamptz not null default clock_timestamp(),
  primary key (stream, version)
);
create index events_by_tx on events (tx, position);

-- How far the relay has published, and into which stream: one that was made anew, or that lost its end, is filled again.
create table relay_cursor (
  name text primary key,
  tx xid8 not null,
  position bigint not null,
  stream_created text not null,
  stream_seq bigint not null
) with (fillfactor = 10);

-- The events whose effects are committed. Rows live longer than any event can be delivered.
create table inbox (
  consumer text collate "C" not null,
  event_id uuid not null,
  received_at timestamptz not null default clock_timestamp(),
  primary key (consumer, event_id)
);
create index inbox_by_age on inbox using brin (received_at);

-- Events that no handler could take. `payload` is what arrived, byte for byte, for it may not even be JSON.
create table dead_letters (
  consumer text not null,
  event_id text not null,
  subject text not null,
  payload text not null,
  error text not null,
  tries integer not null,
  parked_at timestamptz not null default clock_timestamp(),
  primary key (consumer, event_id)
);

-- Down Migration
drop table dead_letters, inbox, relay_cursor, events;
