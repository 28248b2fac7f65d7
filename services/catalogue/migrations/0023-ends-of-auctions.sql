-- Up Migration

-- When the auction of a listing ends, for lists: in milliseconds, and after everything else where none runs or is to run. Kept as the price
-- is, and noted as stale together with it.
alter table products add column auction_end_ms bigint not null default 9007199254740991;

create function auction_end_ms(product_id bigint, listing_type text) returns bigint language sql stable as $$
  select coalesce(
    (select case when a.closed_as is null then (extract(epoch from a.ends_at) * 1000)::bigint end from catalogue.auction_summaries a
      where $2 = 'auction' and a.product_id = $1 order by a.auction_id desc limit 1),
    9007199254740991)
$$;
create or replace function set_current_price() returns trigger language plpgsql as $$
begin
  new.current_price_sen = catalogue.current_price(new.id, new.listing_type, new.price_sen);
  new.auction_end_ms = catalogue.auction_end_ms(new.id, new.listing_type);
  return new;
end $$;
update products set current_price_sen = 0 where listing_type = 'auction';

create index products_by_auction_end on products (auction_end_ms, id);

-- Down Migration
