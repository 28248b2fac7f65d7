-- Up Migration
create sequence payment_ids as bigint;
create sequence case_ids as bigint;

-- An order with its payment. Rebuilt from the log with the two tables that follow. Amounts are in sen.
create table payments (
  id bigint primary key,
  user_id bigint not null,
  order_id text not null unique,
  bill_id text unique,
  amount integer not null check (amount > 0),
  status text not null default 'pending' check (status in ('pending', 'paid', 'failed', 'cancelled')),
  payment_type text not null default 'boost',
  feature_duration integer not null,
  boost_option_id bigint not null,
  product_ids text[] not null,
  payment_channel text,
  paid_at timestamptz,
  created_at timestamptz not null,
  updated_at timestamptz not null,
  expires_at timestamptz not null,
  -- What the package was called, the provider's transaction, where it is paid, and why it failed.
  metadata jsonb not null default '{}',
  request_key text
);
create index payments_of_user on payments (user_id, id desc);
create index payments_to_expire on payments (expires_at) where status = 'pending';
create index payments_by_key on payments (user_id, request_key, id desc) where request_key is not null;

-- What was ordered, and what became of each.
create table ordered_products (
  order_id text not null,
  product_id bigint not null,
  number smallint not null,
  name text not null,
  amount_sen integer not null,
  -- Of an order that waits for its payment: a product is in one of them at most.
  is_pending boolean not null,
  state text not null check (state in ('waiting', 'boosted', 'case')),
  boosted_until timestamptz,
  primary key (order_id, product_id)
);
create unique index ordered_products_pending on ordered_products (product_id) where is_pending;

create table boost_cases (
  id bigint primary key,
  order_id text not null,
  user_id bigint not null,
  product_id bigint not null,
  product_name text not null,
  amount_sen integer not null,
  duration_hours integer not null,
  state text not null check (state in ('open', 'chosen', 'boosted')),
  chosen_product_id bigint,
  opened_at timestamptz not null,
  expires_at timestamptz not null
);
create index boost_cases_of_user on boost_cases (user_id, id desc);

-- Bills that the provider is asked for, should it never tell what became of them. Not a projection, as the two tables that follow.
create table bill_checks (
  bill_id text primary key,
  made_at timestamptz not null,
  checks smallint not null default 0
);
create index bill_checks_due on bill_checks (made_at);

-- What the provider has signed and does not fit an order: somebody has to look at it.
create table payment_alerts (
  id bigint primary key generated always as identity,
  kind text not null check (kind in ('unknown-bill', 'wrong-collection', 'wrong-amount')),
  bill_id text not null,
  amount bigint not null,
  is_paid boolean not null,
  transaction_id text not null,
  first_at timestamptz not null default clock_timestamp(),
  last_at timestamptz not null default clock_timestamp(),
  unique (kind, bill_id, amount, is_paid, transaction_id)
);

-- Down Migration
drop table payment_alerts, bill_checks, boost_cases, ordered_products, payments;
drop sequence case_ids, payment_ids;
