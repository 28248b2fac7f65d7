-- Up Migration

-- What is compared when people search: without case, accents and punctuation. `unaccent` alone is not immutable because its rules could be
-- changed; ours are not.
create function search_text(value text) returns text
  language sql immutable strict parallel safe
  return btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent'::regdictionary, value)), '[^[:alnum:]]+', ' ', 'g'));

alter table products
  add column sales_count integer not null default 0,
  add column brand_key text collate "C" generated always as (search_text(brand)) stored,
  add column title_search tsvector generated always as (to_tsvector('simple', search_text(brand || ' ' || name))) stored,
  add column search tsvector generated always as
    (to_tsvector('simple', search_text(brand || ' ' || name || ' ' || description))) stored;

create index products_by_title_search on products using gin (title_search) with (fastupdate = off);
create index products_by_search on products using gin (search) with (fastupdate = off);
create index products_by_brand on products (brand_key, id desc);
create index products_by_price on products (price_sen, id);
create index products_by_sales on products (sales_count desc, id desc);
create index products_by_featured on products (is_featured desc, id desc);
-- What facets count, without looking at the rows.
create index products_by_facet on products (category_id, listing_type, brand_key, price_sen) include (brand)
  where status in ('active', 'featured', 'sold');

-- The words of names and brands, among which a misspelt one is looked for.
create table search_words (
  word text collate "C" primary key
);
create index search_words_by_likeness on search_words using gist (word extensions.gist_trgm_ops);
insert into search_words
  select distinct word from products, unnest(string_to_array(search_text(brand || ' ' || name), ' ')) as word where word <> '';

-- Down Migration
drop table search_words;
drop index products_by_facet, products_by_featured, products_by_sales, products_by_price, products_by_brand, products_by_search,
  products_by_title_search;
alter table products drop column search, drop column title_search, drop column brand_key, drop column sales_count;
drop function search_text;
