-- Up Migration

-- What can be bought. Prices are in sen. Premium are the ids from 5 on; the type decides.
create table boost_packages (
  id bigint primary key,
  name text not null,
  package_type text not null check (package_type in ('standard', 'premium')),
  item_count integer not null check (item_count > 0),
  price integer not null check (price > 0),
  duration_hours integer not null check (duration_hours > 0),
  effective_price numeric(10, 2) not null generated always as (price::numeric / item_count) stored,
  is_active boolean not null default true,
  created_at timestamptz not null default clock_timestamp()
);

insert into boost_packages (id, name, package_type, item_count, price, duration_hours) values
  (1, 'Standard Boost', 'standard', 1, 1000, 168),
  (2, 'Standard Boost for 3', 'standard', 3, 2700, 168),
  (3, 'Standard Boost for 5', 'standard', 5, 4000, 168),
  (4, 'Standard Boost for 10', 'standard', 10, 7000, 168),
  (5, 'Premium Boost', 'premium', 1, 2000, 336),
  (6, 'Premium Boost for 3', 'premium', 3, 5400, 336),
  (7, 'Premium Boost for 5', 'premium', 5, 8000, 336),
  (8, 'Premium Boost for 10', 'premium', 10, 14000, 336);

-- Down Migration
drop table boost_packages;
