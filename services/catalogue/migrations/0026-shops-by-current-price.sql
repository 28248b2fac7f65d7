-- Up Migration

-- Pages of a shop by price have gone by the current price since it is kept, and this index has not. With the status it is all that is needed to count
-- what a shop sells, too: to look at each product for that took longer than to find the page.
drop index products_by_seller_price;
create index products_by_seller_price on products (seller_id, current_price_sen, id) include (status);

-- Down Migration
drop index products_by_seller_price;
create index products_by_seller_price on products (seller_id, price_sen, id);
