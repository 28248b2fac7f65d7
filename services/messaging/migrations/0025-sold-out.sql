-- Up Migration

-- Nobody is reminded of an offer that can only be refused: all bottles are sold. What the log says of that is read from its start, in its order.
alter table products add column is_sold_out boolean not null default false;
delete from consumer_positions where consumer = 'catalogue-products';

-- Down Migration
alter table products drop column is_sold_out;
