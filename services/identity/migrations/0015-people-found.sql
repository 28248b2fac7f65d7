-- Up Migration

-- What is compared when administrators search and sort: without case and accents. `unaccent` alone is not immutable because its rules could be
-- changed; ours are not.
create function search_text(value text) returns text
  language sql immutable strict parallel safe
  return lower(extensions.unaccent('extensions.unaccent'::regdictionary, normalize(value, nfkc)));

-- One word of a search for `like`. One or two letters are looked for where words begin, which the index of trigrams knows; what is searched has
-- a space in front for that.
create function search_pattern(word text) returns text
  language sql immutable strict parallel safe
  return '%' || case when identity.search_text(word) ~ '^[[:alnum:]]{1,2}$' then ' ' else '' end ||
         regexp_replace(identity.search_text(word), '([\\%_])', '\\\1', 'g') || '%';

alter table people
  add column search text generated always as
    (' ' || search_text(username || ' ' || email || ' ' || coalesce(first_name, '') || ' ' || coalesce(last_name, ''))) stored,
  add column name_key text generated always as
    (search_text(btrim(coalesce(first_name, '') || ' ' || coalesce(last_name, '')))) stored;
create index people_by_search on people using gin (search extensions.gin_trgm_ops) with (fastupdate = off);
create index people_by_name on people (name_key, user_id);

-- Down Migration
drop index people_by_name, people_by_search;
alter table people drop column name_key, drop column search;
drop function search_pattern, search_text;
