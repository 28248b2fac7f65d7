-- Up Migration

-- Who may be seen is asked by seller, and a page is a list of ids: with both, facets are counted and pages of a category and a brand are
-- found without looking at the rows.
drop index products_by_facet;
create index products_by_facet on products (category_id, listing_type, brand_key, price_sen) include (brand, seller_id, id)
  where status in ('active', 'featured', 'sold');

-- Down Migration
drop index products_by_facet;
create index products_by_facet on products (category_id, listing_type, brand_key, price_sen) include (brand)
  where status in ('active', 'featured', 'sold');
