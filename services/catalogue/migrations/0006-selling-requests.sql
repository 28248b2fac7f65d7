-- Up Migration

-- Which product came of a seller's own key of a request, so that the same request again makes no second one.
create table product_requests (
  seller_id bigint not null,
  request_key uuid not null,
  product_id bigint not null,
  primary key (seller_id, request_key)
);

-- A picture that was taken off keeps its name, which browsers remember for ever, and its file until that is removed.
alter table pictures add column removed_at timestamptz;
create index pictures_to_discard on pictures (removed_at) where removed_at is not null and storage_key is not null;

-- Down Migration
drop index pictures_to_discard;
delete from pictures where removed_at is not null;
alter table pictures drop column removed_at;
drop table product_requests;
