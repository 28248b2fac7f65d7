-- Up Migration
create sequence transaction_ids as bigint;

-- A card is a message of a deal.
alter table messages add column transaction_id bigint, add column action_type text;
create unique index messages_by_card on messages (transaction_id, action_type) where transaction_id is not null;

-- A deal as its cards and its order show it. Rebuilt from the log with `messages`.
create table deals (
  id bigint primary key,
  product_id bigint not null,
  product_name text not null,
  seller_id bigint not null,
  buyer_id bigint not null,
  amount_sen bigint not null,
  auction_id bigint,
  stage text not null check (stage in ('purchase', 'payment', 'delivery', 'review', 'completed', 'cancelled')),
  -- The last step that was confirmed when it was called off.
  cancelled_after text check (cancelled_after in ('purchase', 'payment')),
  order_status text check (order_status in ('pending', 'processing', 'shipped', 'delivered', 'cancelled')),
  rating numeric(2, 1),
  reminders smallint not null default 0,
  started_at timestamptz not null,
  waiting_since timestamptz not null,
  ordered_at timestamptz,
  paid_at timestamptz,
  delivered_at timestamptz,
  updated_at timestamptz not null
);
create index deals_of_buyer on deals (buyer_id, id desc) where order_status is not null;
create index deals_of_seller on deals (seller_id, id desc) where order_status is not null;
create index deals_open on deals (product_id, buyer_id) where stage in ('purchase', 'payment', 'delivery');
create index deals_waiting_for_buyer on deals (buyer_id, waiting_since) where stage in ('purchase', 'delivery', 'review');
create index deals_waiting_for_seller on deals (seller_id, waiting_since) where stage = 'payment';
create index deals_to_remind on deals (waiting_since) where stage in ('purchase', 'payment', 'delivery');

-- Down Migration
drop table deals;
alter table messages drop column transaction_id, drop column action_type;
drop sequence transaction_ids;
