-- Up Migration

-- What is deleted is kept for those who dealt with it, and shown to nobody else: `status` is then `archived`.
alter table products
  add column updated_at timestamptz,
  add column deleted_at timestamptz,
  add column reserved_for bigint,
  add column reserved_sen bigint,
  add column featured_at timestamptz,
  add column boost_package_id bigint;
update products set updated_at = created_at;
alter table products alter column updated_at set not null, alter column updated_at set default clock_timestamp();

-- How an auction ended, for those who list what did not sell, and for those who won.
alter table auction_summaries
  add column outcome text check (outcome in ('won', 'no-bids', 'reserve-not-met')),
  add column winner_id bigint;

-- Down Migration
alter table auction_summaries drop column winner_id, drop column outcome;
alter table products drop column boost_package_id, drop column featured_at, drop column reserved_sen, drop column reserved_for, drop column deleted_at, drop column updated_at;
