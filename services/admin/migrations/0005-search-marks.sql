-- Up Migration

-- A search for marks alone has no trigram that an index knows: `%%` read every row. What is neither letter nor digit, each for itself. The expression is
-- written out: a function of ours would be called for each row that comes.
create index known_people_by_marks on known_people
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);
create index orders_by_marks on orders
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);
create index listings_by_marks on listings
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);
create index payments_by_marks on payments
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);

-- Down Migration
drop index known_people_by_marks, orders_by_marks, listings_by_marks, payments_by_marks;
