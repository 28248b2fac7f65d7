-- Up Migration

-- A later page of a shop was found by looking at each product before it, to see whether it is still for sale: 2.4 ms for the twentieth. With the
-- status, and what the rating is made of, the index says so by itself.
drop index products_by_seller_popularity;
create index products_by_seller_popularity on products (seller_id, popularity desc, id desc) include (status);
drop index products_by_seller_rating;
create index products_by_seller_rating on products (seller_id, coalesce(average_rating, 0) desc, review_count desc, id desc)
  include (status, average_rating);

-- Down Migration
drop index products_by_seller_rating;
create index products_by_seller_rating on products (seller_id, coalesce(average_rating, 0) desc, review_count desc, id desc);
drop index products_by_seller_popularity;
create index products_by_seller_popularity on products (seller_id, popularity desc, id desc);
