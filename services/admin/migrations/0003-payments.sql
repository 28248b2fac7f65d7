-- Up Migration

-- Which listing an auction is of.
create table auctions (
  id bigint primary key,
  product_id bigint not null
);
create index auctions_of_product on auctions (product_id, id);

-- Orders for boosts with their payments, and what became of their products; filled from boost's log. Amounts are in sen.
create table payments (
  id bigint primary key,
  order_id uuid not null unique,
  user_id bigint not null,
  package_name text not null,
  amount_sen bigint not null,
  status text not null default 'pending' check (status in ('pending', 'paid', 'failed', 'cancelled')),
  bill_id text,
  paid_at timestamptz,
  created_at timestamptz not null,
  product_names text not null,
  search text not null generated always as
    (' ' || search_text(id::text || ' ' || order_id::text || ' ' || package_name || ' ' || product_names || ' ' || coalesce(bill_id, ''))) stored
);
create index payments_by_search on payments using gin (search extensions.gin_trgm_ops) with (fastupdate = off);
create index payments_by_amount on payments (amount_sen, id);
create index payments_by_status on payments (status, id);
create index payments_of_user on payments (user_id, id);

create table paid_products (
  order_id uuid not null,
  product_id bigint not null,
  number smallint not null,
  name text not null,
  state text not null default 'waiting' check (state in ('waiting', 'boosted', 'case')),
  primary key (order_id, product_id)
);

-- Down Migration
drop table paid_products, payments, auctions;
