-- Up Migration

-- A search for marks alone has no trigram that an index knows: `%%` read every row. What is neither letter nor digit, each for itself. The expression is
-- written out: a function of ours would be called for each row that comes.
create index people_by_marks on people
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);

-- Down Migration
drop index people_by_marks;
