-- Up Migration

-- What people keep for later. `place` is the order in which it was kept; the count on the product is of these rows.
create table favorites (
  user_id bigint not null,
  product_id bigint not null,
  place bigint generated always as identity,
  added_at timestamptz not null default clock_timestamp(),
  primary key (user_id, product_id)
);
create index favorites_by_place on favorites (user_id, place desc);
create index favorites_by_product on favorites (product_id);

-- What buyers said. Without the name of who said it: that is what `sellers` says of them, or nothing any more.
create table reviews (
  id bigint primary key,
  product_id bigint not null,
  product_name text not null,
  seller_id bigint not null,
  buyer_id bigint not null,
  rating numeric(2, 1) not null check (rating between 0 and 5),
  comment text,
  submitted_at timestamptz not null
);
create index reviews_by_seller on reviews (seller_id, submitted_at desc, id desc) include (rating);
create index reviews_by_product on reviews (product_id) include (rating);

-- Orders as far as they say what was sold. `version` is that of the event in the order's stream. `paid_at` is when the seller first
-- confirmed the payment, and stays when the order is cancelled after it.
create table orders (
  id bigint primary key,
  product_id bigint not null,
  seller_id bigint not null,
  total_sen bigint not null,
  status text not null check (status in ('pending', 'processing', 'shipped', 'delivered', 'cancelled')),
  paid_at timestamptz,
  version integer not null
);
create index orders_by_seller on orders (seller_id, paid_at) include (product_id, status, total_sen);
create index orders_by_product on orders (product_id) include (status);

-- Figures of a product that lists show and sort by; each is a count of the tables above. A product that is made again from the log gets
-- them back.
alter table products
  add column favorite_count integer not null default 0,
  add column view_count integer not null default 0,
  add column review_count integer not null default 0,
  add column average_rating numeric(3, 2),
  add column popularity integer generated always as (favorite_count + sales_count) stored;

-- Pages of a shop, by each of its orders.
create index products_by_seller_popularity on products (seller_id, popularity desc, id desc);
create index products_by_seller_rating on products (seller_id, (coalesce(average_rating, 0)) desc, review_count desc, id desc);
create index products_by_seller_price on products (seller_id, price_sen, id);
create index products_featured_now on products (featured_at desc, id desc) where is_featured;
create index products_featured_until on products (featured_until) where is_featured;

-- Down Migration
drop index products_featured_until, products_featured_now, products_by_seller_price, products_by_seller_rating, products_by_seller_popularity;
alter table products drop column popularity, drop column average_rating, drop column review_count, drop column view_count,
  drop column favorite_count;
drop table orders, reviews, favorites;
