-- Up Migration

-- What has happened to each listing up to the end of each Malaysian day on which something did, all days before it included: what happened
-- within some days is the difference of two rows, however many days lie between. Sales are in `orders`.
create table product_days (
  product_id bigint not null,
  day date not null,
  views integer not null,
  favorites integer not null,
  messages integer not null,
  bids integer not null,
  primary key (product_id, day)
) with (fillfactor = 80);

-- What happened on each day to all listings of a seller together.
create table seller_days (
  seller_id bigint not null,
  day date not null,
  views integer not null default 0,
  favorites integer not null default 0,
  messages integer not null default 0,
  bids integer not null default 0,
  primary key (seller_id, day)
) with (fillfactor = 80);

-- Who has looked at what today, so that each counts once: a number made of the day and of who it is. Rows are removed after that day.
create table product_viewers (
  day date not null,
  product_id bigint not null,
  viewer bigint not null,
  primary key (day, product_id, viewer)
);

-- Down Migration
drop table product_viewers, seller_days, product_days;
