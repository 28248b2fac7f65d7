-- Up Migration

-- Words are found in memory: nothing is looked for in these any more.
drop trigger products_listed_words on products;
drop function note_listed_words;
drop table listed_words;
drop index products_by_title_search, products_by_search, products_by_name, products_by_full_name;

-- Down Migration
create index products_by_title_search on products using gin (title_search) with (fastupdate = off);
create index products_by_search on products using gin (search) with (fastupdate = off);
create index products_by_name on products (name_key, id desc);
create index products_by_full_name on products (full_name_key, id desc);
create table listed_words (
  word text collate "C" primary key
);
insert into listed_words select distinct word from products, unnest(tsvector_to_array(search)) as word;
create function note_listed_words() returns trigger language plpgsql as $$
begin
  insert into catalogue.listed_words (word) select word from unnest(tsvector_to_array(new.search)) as word order by word
  on conflict do nothing;
  return null;
end $$;
create trigger products_listed_words after insert or update of brand, name, description on products
  for each row execute function note_listed_words();
