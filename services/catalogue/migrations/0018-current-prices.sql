-- Up Migration

-- What a listing costs now, for lists: for an auction the current bid, else the starting price.
alter table products add column current_price_sen bigint not null default 0;

-- Triggers, because the price is from the logs of two services: whichever table is written, or made anew, the price is right.
create function current_price(product_id bigint, listing_type text, price_sen bigint) returns bigint language sql stable as $$
  select coalesce(
    (select coalesce(a.current_bid_sen, a.starting_price_sen) from catalogue.auction_summaries a
      where $2 = 'auction' and a.product_id = $1 order by a.auction_id desc limit 1),
    $3)
$$;
create function set_current_price() returns trigger language plpgsql as $$
begin
  new.current_price_sen = catalogue.current_price(new.id, new.listing_type, new.price_sen);
  return new;
end $$;
create trigger products_current_price before insert or update of price_sen, listing_type, current_price_sen on products
  for each row execute function set_current_price();
update products set current_price_sen = 0;

-- A row of products has fifteen indexes, so bids only note that its price is another one; the service writes it at its own pace.
create table stale_prices (
  product_id bigint primary key,
  since timestamptz not null default clock_timestamp()
);
create function note_stale_prices() returns trigger language plpgsql as $$
begin
  insert into catalogue.stale_prices as known (product_id)
  select distinct product_id from changed where product_id is not null order by 1
  -- Locks the row and leaves it as it is: whoever writes the price now does not see this bid yet.
  on conflict (product_id) do update set since = known.since where false;
  return null;
end $$;
create trigger auction_summaries_new_prices after insert on auction_summaries
  referencing new table as changed for each statement execute function note_stale_prices();
create trigger auction_summaries_changed_prices after update on auction_summaries
  referencing new table as changed for each statement execute function note_stale_prices();

drop index products_by_price, products_by_facet;
create index products_by_price on products (current_price_sen, id);
create index products_by_facet on products (category_id, listing_type, brand_key, current_price_sen) include (brand, seller_id, id)
  where status in ('active', 'featured', 'sold');

-- Down Migration
