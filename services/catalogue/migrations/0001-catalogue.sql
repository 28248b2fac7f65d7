-- Up Migration
create sequence product_ids as bigint;

create table categories (
  id integer primary key,
  name text not null unique
);
insert into categories (id, name) values (1, 'Designer'), (2, 'Local'), (3, 'Arabian House'), (4, 'Niche');

-- One row per listing: what lists and pages read. Rebuilt from the log by one command. Ids are drawn in the order of
-- creation, so the newest product has the highest and `id` alone is the key of "newest first".
create table products (
  id bigint primary key,
  seller_id bigint not null,
  name text not null,
  brand text not null,
  description text not null,
  price_sen bigint not null,
  category_id integer not null references categories,
  listing_type text not null check (listing_type in ('fixed', 'negotiable', 'auction')),
  stock_quantity integer not null,
  remaining_percentage integer not null,
  batch_code text,
  purchase_year integer,
  box_condition text not null,
  volume_ml integer not null,
  is_new boolean not null,
  image_url text,
  images jsonb not null default '[]',
  status text not null default 'active' check (status in ('active', 'featured', 'pending', 'sold', 'archived')),
  is_featured boolean not null default false,
  featured_until timestamptz,
  created_at timestamptz not null
);
create index products_by_category on products (category_id, id desc);
create index products_by_type on products (listing_type, id desc);
create index products_by_seller on products (seller_id, id desc);

-- The files of pictures. Not a projection: the log says which pictures a listing has, this says where their bytes are.
-- A row without a storage key is announced and waits for its file.
create table pictures (
  id bigint generated always as identity primary key,
  product_id bigint not null,
  seller_id bigint not null,
  name text collate "C" not null unique,
  image_order integer not null check (image_order between 0 and 4),
  image_name text,
  storage_key uuid,
  width_px integer,
  height_px integer,
  registered_at timestamptz not null default clock_timestamp(),
  stored_at timestamptz
);
create index pictures_by_product on pictures (product_id);

-- Read models of other services' facts. A seller whose registration has not arrived yet is known by the token's name.
create table sellers (
  user_id bigint primary key,
  username text not null,
  profile_image text,
  avatar_url text
);

-- Filled by whichever of an auction's events comes first, so all but the id may be missing for a while. Bids change
-- columns without an index only, and the free space lets a row's new version stay on its page.
create table auction_summaries (
  auction_id bigint primary key,
  product_id bigint,
  starting_price_sen bigint,
  starts_at timestamptz,
  ends_at timestamptz,
  terms_at timestamptz,
  bid_count integer not null default 0,
  current_bid_sen bigint,
  closed_as text check (closed_as in ('ended', 'cancelled'))
) with (fillfactor = 60);
create index auction_summaries_by_product on auction_summaries (product_id, auction_id desc);

-- Down Migration
drop table auction_summaries, sellers, pictures, products, categories;
drop sequence product_ids;
