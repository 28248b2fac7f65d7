-- Up Migration
create sequence report_ids as bigint;

-- What people have reported. Rebuilt from the log.
create table reports (
  id bigint primary key,
  reporter_id bigint not null,
  kind text not null check (kind in ('person', 'listing', 'message', 'review')),
  target_id bigint not null,
  -- Who is reported, or whose it is.
  reported_id bigint not null,
  reason text not null,
  status text not null default 'open' check (status in ('open')),
  filed_at timestamptz not null
);
create unique index reports_open on reports (reporter_id, kind, target_id) where status = 'open';
create index reports_about on reports (reported_id);

-- What people wrote about it. Not a projection: it is in no event, so that it can be erased.
create table report_texts (
  report_id bigint primary key,
  content text not null
);

-- Down Migration
drop table report_texts, reports;
drop sequence report_ids;
