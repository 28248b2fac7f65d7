-- Up Migration

-- Who has dealt with it, and how.
alter table payment_alerts
  add column closed_at timestamptz,
  add column closed_by bigint,
  add column reason text;
create index payment_alerts_listed on payment_alerts ((closed_at is not null), id desc);

-- Down Migration
drop index payment_alerts_listed;
alter table payment_alerts drop column reason, drop column closed_by, drop column closed_at;
