-- Up Migration

-- Arabic is found with or without the signs of its short vowels, and however far its letters are drawn apart (U+0640).
create or replace function search_text(value text) returns text
  language sql immutable strict parallel safe
  return btrim(regexp_replace(lower(extensions.unaccent('extensions.unaccent'::regdictionary,
                                translate(normalize(value, nfkc), U&'\0640\064B\064C\064D\064E\064F\0650\0651\0652\0670', ''))),
                              '[^[:alnum:]]+', ' ', 'g'));

-- What is generated from words is made anew where they are written, and processes that search in memory read it again.
with listed as (
  update products set brand = brand, name = name, description = description
   where normalize(brand || name || description, nfkc) ~ '[\u0640\u064B-\u0652\u0670]'
  returning id, brand, name
), known as (
  insert into search_words
    select distinct word from listed, unnest(string_to_array(search_names(brand || ' ' || name), ' ')) as word where word <> ''
    on conflict do nothing
)
update listing_changes set tx = default, words_tx = default where product_id in (select id from listed);

-- Down Migration
