-- Up Migration

-- A brand is in few categories. Postgres took the two for independent, expected a page of what has both, and walked through a whole category for
-- it: 26 ms where nothing has both, of 100,000 products. It counts how often they come together now.
create statistics products_category_brand (mcv) on category_id, brand_key from products;
analyze products;

-- Down Migration
drop statistics products_category_brand;
