-- Up Migration

-- Which listings lists show otherwise than before: processes that search in memory read what came since they looked last. One row for each listing, so
-- that reading all of them is reading everything. `tx` is the number of the transaction, which is committed for all who see a later snapshot's oldest one.
create table listing_changes (
  product_id bigint primary key,
  tx xid8 not null default pg_current_xact_id(),
  -- When the words that it is found by became others.
  words_tx xid8 not null default pg_current_xact_id()
);
create index listing_changes_by_tx on listing_changes (tx, product_id);
insert into listing_changes (product_id) select id from products;

create function note_listing_change() returns trigger language plpgsql as $$
begin
  insert into catalogue.listing_changes as known (product_id) values (coalesce(new.id, old.id))
  on conflict (product_id) do update
    set tx = excluded.tx,
        words_tx = case when (old.brand, old.name, old.description) is distinct from (new.brand, new.name, new.description)
                        then excluded.tx else known.words_tx end;
  return null;
end $$;
create trigger products_change after insert or delete on products
  for each row execute function note_listing_change();
create trigger products_shown_otherwise after update on products
  for each row
  when ((old.status, old.category_id, old.listing_type, old.current_price_sen, old.auction_end_ms, old.sales_count, old.is_featured,
         old.remaining_percentage, old.brand, old.name, old.description)
        is distinct from
        (new.status, new.category_id, new.listing_type, new.current_price_sen, new.auction_end_ms, new.sales_count, new.is_featured,
         new.remaining_percentage, new.brand, new.name, new.description))
  execute function note_listing_change();

-- All that a seller lists is hidden with them, and shown again. The listings are locked first, as whoever else notes a change has locked them: two who
-- note several would wait for each other otherwise.
create function note_seller_change() returns trigger language plpgsql as $$
begin
  insert into catalogue.listing_changes as known (product_id)
  select id from catalogue.products where seller_id = coalesce(new.user_id, old.user_id) order by id for no key update
  on conflict (product_id) do update set tx = excluded.tx;
  return null;
end $$;
create trigger known_people_hidden after insert on known_people
  for each row when (new.is_banned or new.is_closed) execute function note_seller_change();
create trigger known_people_hidden_or_not after update on known_people
  for each row when ((old.is_banned or old.is_closed) <> (new.is_banned or new.is_closed)) execute function note_seller_change();
create trigger known_people_forgotten after delete on known_people
  for each row when (old.is_banned or old.is_closed) execute function note_seller_change();

-- Down Migration
drop trigger known_people_hidden on known_people;
drop trigger known_people_hidden_or_not on known_people;
drop trigger known_people_forgotten on known_people;
drop trigger products_change on products;
drop trigger products_shown_otherwise on products;
drop function note_seller_change, note_listing_change;
drop table listing_changes;
