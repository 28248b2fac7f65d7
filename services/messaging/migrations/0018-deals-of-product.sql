-- Up Migration

-- How many deals about a product began lately is counted with each new one.
create index deals_of_product on deals (product_id, started_at);

-- Down Migration
drop index deals_of_product;
