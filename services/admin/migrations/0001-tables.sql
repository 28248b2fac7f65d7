-- Up Migration

-- What is compared when administrators search and sort: without case and accents.
create function search_text(value text) returns text
  language sql immutable strict parallel safe
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, normalize(value, nfkc)));

-- One word of a search for `like`. One or two letters are looked for where words begin, which the index of trigrams knows; what is searched has
-- a space in front for that.
create function search_pattern(word text) returns text
  language sql immutable strict parallel safe
  return '%' || case when search_text(word) ~ '^[[:alnum:]]{1,2}$' then ' ' else '' end ||
         regexp_replace(search_text(word), '([\\%_])', '\\\1', 'g') || '%';

alter table known_people add column search text generated always as (' ' || search_text(username)) stored;
create index known_people_by_search on known_people using gin (search extensions.gin_trgm_ops) with (fastupdate = off);

-- All that follows is filled from the logs of others and rebuilt from them. Amounts are in sen.

create table orders (
  id bigint primary key,
  buyer_id bigint not null,
  seller_id bigint not null,
  product_id bigint not null,
  product_name text not null,
  total_sen bigint not null,
  status text not null check (status in ('pending', 'processing', 'shipped', 'delivered', 'cancelled')),
  placed_at timestamptz not null,
  updated_at timestamptz not null,
  search text not null generated always as (' ' || search_text(id::text || ' ' || product_name)) stored
);
create index orders_by_search on orders using gin (search extensions.gin_trgm_ops) with (fastupdate = off);
create index orders_by_time on orders (placed_at, id);
create index orders_by_total on orders (total_sen, id);
create index orders_by_status on orders (status, placed_at, id);
create index orders_by_status_and_total on orders (status, total_sen, id);
create index orders_by_buyer on orders (buyer_id, placed_at, id);
create index orders_by_seller on orders (seller_id, placed_at, id);
create index orders_by_product on orders (product_id, placed_at, id);

create table listings (
  id bigint primary key,
  seller_id bigint not null,
  name text not null,
  brand text not null,
  price_sen bigint not null,
  listing_type text not null check (listing_type in ('fixed', 'negotiable', 'auction')),
  -- Given with the listing, and the first uploaded picture.
  image_url text,
  picture text,
  stock_quantity integer not null,
  is_featured boolean not null default false,
  created_at timestamptz not null,
  removed_at timestamptz,
  removed_by text check (removed_by in ('seller', 'admin')),
  removal_reason text,
  -- What the columns above and the bottles make of it.
  status text not null default 'active' check (status in ('active', 'featured', 'pending', 'sold', 'removed')),
  name_key text collate "C" not null generated always as (search_text(name)) stored,
  search text not null generated always as (' ' || search_text(id::text || ' ' || brand || ' ' || name)) stored
);
create index listings_by_search on listings using gin (search extensions.gin_trgm_ops) with (fastupdate = off);
create index listings_by_name on listings (name_key, id);
create index listings_by_price on listings (price_sen, id);
create index listings_by_status on listings (status, id);
create index listings_by_status_and_name on listings (status, name_key, id);
create index listings_by_status_and_price on listings (status, price_sen, id);
create index listings_by_seller on listings (seller_id, id);

-- Bottles of listings that somebody has: of a deal or a lot.
create table bottles (
  id text primary key,
  product_id bigint not null,
  is_lot boolean not null,
  is_sold boolean not null
);
create index bottles_of_product on bottles (product_id);

-- Down Migration
drop table bottles, listings, orders;
drop index known_people_by_search;
alter table known_people drop column search;
drop function search_pattern, search_text;
