-- Up Migration

-- A conversation narrowed to one product is read and counted without what else the two wrote.
create index messages_between_about on messages (least(sender_id, receiver_id), greatest(sender_id, receiver_id), product_id, id desc)
  where product_id is not null;

-- Down Migration
drop index messages_between_about;
