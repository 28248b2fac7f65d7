-- Up Migration
alter table reports
  drop constraint reports_status_check,
  add constraint reports_status_check check (status in ('open', 'upheld', 'dismissed')),
  add column decided_at timestamptz,
  add column decided_by bigint;
create index reports_by_status on reports (status, id desc);

-- Why administrators decided as they did. Not a projection: it speaks of people and is in no event, so that it can be erased.
create table decision_reasons (
  report_id bigint primary key,
  content text not null
);

-- Down Migration
drop table decision_reasons;
drop index reports_by_status;
delete from reports where status <> 'open';
alter table reports
  drop column decided_by,
  drop column decided_at,
  drop constraint reports_status_check,
  add constraint reports_status_check check (status in ('open'));
