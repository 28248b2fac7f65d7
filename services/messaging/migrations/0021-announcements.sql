-- Up Migration

-- What is being told to all who watch an auction or keep a product, some at a time, and up to whom it was told. A row goes once all are told. Not a
-- projection.
create table announcements (
  topic text not null check (topic in ('auction', 'favorite')),
  topic_id bigint not null,
  audience text not null check (audience in ('watchers', 'early-watchers', 'favorers')),
  kind text not null,
  other_id bigint,
  product_id bigint not null,
  price_sen bigint,
  former_price_sen bigint,
  happened_at timestamptz not null,
  except_ids bigint[] not null,
  told_user_id bigint not null,
  primary key (topic, topic_id)
);

-- Down Migration
drop table announcements;
