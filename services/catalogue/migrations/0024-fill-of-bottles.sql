-- Up Migration

-- Lists are narrowed to bottles that are so full, and counted then without reading the products themselves.
drop index products_by_facet;
create index products_by_facet on products (category_id, listing_type, brand_key, current_price_sen)
  include (brand, seller_id, id, remaining_percentage)
  where status in ('active', 'featured', 'sold');

-- Down Migration
drop index products_by_facet;
create index products_by_facet on products (category_id, listing_type, brand_key, current_price_sen) include (brand, seller_id, id)
  where status in ('active', 'featured', 'sold');
