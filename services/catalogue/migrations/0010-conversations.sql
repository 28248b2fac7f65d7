-- Up Migration

-- Which two people have written to each other about a product, for whoever is about to take it away.
create table product_conversations (
  product_id bigint not null,
  lower_user_id bigint not null,
  higher_user_id bigint not null,
  primary key (product_id, lower_user_id, higher_user_id)
);

-- Down Migration
drop table product_conversations;
