-- Up Migration

-- When the provider was last asked for it in vain.
alter table bill_checks add column failed_at timestamptz;

-- Down Migration
alter table bill_checks drop column failed_at;
