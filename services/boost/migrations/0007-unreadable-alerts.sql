-- Up Migration

-- What was signed and could not be read, too.
alter table payment_alerts
  drop constraint if exists payment_alerts_kind_check,
  add constraint payment_alerts_kind_check check (kind in ('unknown-bill', 'wrong-collection', 'wrong-amount', 'unreadable'));

-- Down Migration
delete from payment_alerts where kind = 'unreadable';
alter table payment_alerts
  drop constraint payment_alerts_kind_check,
  add constraint payment_alerts_kind_check check (kind in ('unknown-bill', 'wrong-collection', 'wrong-amount'));
