-- Up Migration

-- All words of listings, as their index has them. To look up the beginning of a word in that index takes tens of milliseconds where the words
-- themselves take one, so a search asks here which words begin so. It only grows: a word that no listing has any more finds nothing.
create table listed_words (
  word text collate "C" primary key
);
insert into listed_words select distinct word from products, unnest(tsvector_to_array(search)) as word;

-- Sorted, so that two who add the same words never wait for each other.
create function note_listed_words() returns trigger language plpgsql as $$
begin
  insert into catalogue.listed_words (word) select word from unnest(tsvector_to_array(new.search)) as word order by word
  on conflict do nothing;
  return null;
end $$;
create trigger products_listed_words after insert or update of brand, name, description on products
  for each row execute function note_listed_words();

-- Down Migration
