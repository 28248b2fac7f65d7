-- Up Migration

-- Mails that are to be sent; what was sent is deleted, for it holds an address and maybe a token. A sender that takes a mail
-- puts `due_at` off while it sends, so that another sender takes it when the first one dies.
create table mails (
  id uuid primary key,
  kind text not null,
  person_id integer,
  recipient text not null,
  subject text not null,
  text text not null,
  html text not null,
  queued_at timestamptz not null default clock_timestamp(),
  due_at timestamptz not null default clock_timestamp(),
  tries integer not null default 0,
  error text,
  parked_at timestamptz
);
create index mails_due on mails (due_at) where parked_at is null;
create index mails_by_recipient on mails (lower(recipient));

-- Down Migration
drop table mails;
