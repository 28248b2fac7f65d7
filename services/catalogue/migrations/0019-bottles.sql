-- Up Migration

-- Who has a bottle: a deal, or the winner of an auction (a lot, which the winner's deal takes over). `id` is `lot-<auction id>` or
-- `deal-<transaction id>`. What is free again has no row.
create table bottles (
  id text primary key,
  product_id bigint not null,
  transaction_id bigint,
  auction_id bigint,
  buyer_id bigint not null,
  amount_sen bigint not null,
  state text not null check (state in ('reserved', 'sold')),
  -- Since when it is kept for this deal, or for the winner without one.
  reserved_at timestamptz not null
);
create index bottles_by_product on bottles (product_id);
create index bottles_by_deal on bottles (transaction_id) where transaction_id is not null;
create index bottles_that_wait on bottles (reserved_at) where state = 'reserved' and transaction_id is not null;

insert into bottles (id, product_id, auction_id, buyer_id, amount_sen, state, reserved_at)
  select 'lot-' || (e.data ->> 'auctionId'), p.id, (e.data ->> 'auctionId')::bigint, (e.data ->> 'buyerId')::bigint,
         (e.data ->> 'amountSen')::bigint, 'reserved', (e.data ->> 'reservedAt')::timestamptz
    from products p
         join lateral (select data from events where stream = 'listing-' || p.id and type = 'ListingReserved'
                        order by version desc limit 1) e on true
   where p.status = 'pending'
  on conflict do nothing;

-- Of `stock_quantity`; pages show what is left.
alter table products add column reserved_quantity integer not null default 0;
update products set reserved_quantity = 1 where id in (select product_id from bottles);
alter table products drop column reserved_for, drop column reserved_sen;

-- Deals whose purchase was confirmed, as messaging has told.
create table confirmed_deals (transaction_id bigint primary key);

-- Down Migration
drop table confirmed_deals;
alter table products drop column reserved_quantity, add column reserved_for bigint, add column reserved_sen bigint;
drop table bottles;
