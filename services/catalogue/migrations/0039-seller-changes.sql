-- Up Migration

-- Whose listings lists show, or do not show, otherwise than before. That each listing was noted missed those that were being listed at the same
-- time, whose transaction had begun before. Who reads looks at all that the seller has by then; a ban writes one row, and waits for no listing.
create table seller_changes (
  user_id bigint primary key,
  tx xid8 not null default pg_current_xact_id()
);
create index seller_changes_by_tx on seller_changes (tx);
create or replace function note_seller_change() returns trigger language plpgsql as $$
begin
  insert into catalogue.seller_changes (user_id) values (coalesce(new.user_id, old.user_id))
  on conflict (user_id) do update set tx = excluded.tx;
  return null;
end $$;

-- Down Migration
create or replace function note_seller_change() returns trigger language plpgsql as $$
begin
  insert into catalogue.listing_changes as known (product_id)
  select id from catalogue.products where seller_id = coalesce(new.user_id, old.user_id) order by id for no key update
  on conflict (product_id) do update set tx = excluded.tx;
  return null;
end $$;
drop table seller_changes;
