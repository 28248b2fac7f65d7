-- Up Migration

-- Letters that are written in several ways are one: decomposed, half or full width.
create or replace function search_text(value text) returns text
  language sql immutable strict parallel safe
  return btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent'::regdictionary, normalize(value, nfkc))),
                              '[^[:alnum:]]+', ' ', 'g'));

-- A name as it is, and as people type it who leave out dots and apostrophes.
create function search_names(value text) returns text
  language sql immutable strict parallel safe
  return catalogue.search_text(value) || ' ' || catalogue.search_text(translate(value, '.''’‘ʼ`´＇．', ''));

-- What a name is when nobody looks at how it is parted.
create function search_key(value text) returns text
  language sql immutable strict parallel safe
  return replace(catalogue.search_text(value), ' ', '');

drop index products_by_title_search, products_by_search, products_by_brand, products_by_facet;
alter table products drop column search, drop column title_search, drop column brand_key;
alter table products
  add column brand_key text collate "C" generated always as (search_text(brand)) stored,
  add column name_key text collate "C" generated always as (search_key(name)) stored,
  add column full_name_key text collate "C" generated always as (search_key(brand || ' ' || name)) stored,
  add column title_search tsvector generated always as (to_tsvector('simple', search_names(brand || ' ' || name))) stored,
  add column search tsvector generated always as
    (to_tsvector('simple', search_names(brand || ' ' || name) || ' ' || search_text(description))) stored;

create index products_by_title_search on products using gin (title_search) with (fastupdate = off);
create index products_by_search on products using gin (search) with (fastupdate = off);
create index products_by_name on products (name_key, id desc);
create index products_by_full_name on products (full_name_key, id desc);
create index products_by_brand on products (brand_key, id desc);
create index products_by_facet on products (category_id, listing_type, brand_key, price_sen) include (brand, seller_id, id)
  where status in ('active', 'featured', 'sold');

insert into search_words
  select distinct word from products, unnest(string_to_array(search_names(brand || ' ' || name), ' ')) as word where word <> ''
  on conflict do nothing;

-- Down Migration
