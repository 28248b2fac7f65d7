-- Up Migration

-- How far the relay has published. `tx_offset` is added to the numbers of new transactions: it is not 0 where the log was restored from a server
-- whose numbers were higher.
create table log_state (
  is_only boolean primary key default true check (is_only),
  relayed_tx xid8 not null,
  relayed_position bigint not null,
  tx_offset bigint not null default 0
) with (fillfactor = 10);
insert into log_state (relayed_tx, relayed_position)
select coalesce(max(tx::text::bigint), 0)::text::xid8, coalesce(max(position), 0) from relay_cursor;
drop table relay_cursor;

-- The last event of each type that was published, by its name in the log.
create table relay_heads (
  type text collate "C" primary key,
  tx xid8 not null,
  position bigint not null
) with (fillfactor = 50);
insert into relay_heads (type, tx, position)
select distinct on (type) type, tx, events.position from events, log_state
 where (tx, events.position) <= (relayed_tx, relayed_position)
 order by type, tx desc, events.position desc;

-- Up to where a consumer has handled the events of a type, in the log that they come from. It is in the same transaction as what was done.
create table consumer_positions (
  consumer text collate "C" not null,
  type text collate "C" not null,
  tx bigint not null,
  position bigint not null,
  primary key (consumer, type)
) with (fillfactor = 50);

-- An event that a handler could not take is tried again at `due_at`; without it, it waits for a person. Events of its stream that came
-- later wait behind it, in the order of their positions.
alter table dead_letters add column stream text, add column tx bigint, add column position bigint, add column due_at timestamptz;
update dead_letters
   set stream = coalesce(substring(payload from '"stream":"([^"]+)"'), 'unreadable ' || event_id), tx = 0, position = 0,
       due_at = case when retry_at is not null then clock_timestamp() end;
alter table dead_letters alter column stream set not null, alter column tx set not null, alter column position set not null;
alter table dead_letters drop column retry_at;
create index dead_letters_due on dead_letters (consumer, due_at) where due_at is not null;
create index dead_letters_by_stream on dead_letters (stream);

-- The ids of events that were handled before there were positions: read once by each consumer when it starts for the first time, and
-- then removed.
drop index inbox_by_age;

-- Down Migration
