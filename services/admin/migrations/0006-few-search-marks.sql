-- Up Migration

-- Most rows have no mark, and cost a quarter of what it takes to write them only to be in the index as having none.
drop index known_people_by_marks, orders_by_marks, listings_by_marks, payments_by_marks;
create index known_people_by_marks on known_people
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512)
  where search ~ '[^[:alnum:][:space:]]';
create index orders_by_marks on orders
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512)
  where search ~ '[^[:alnum:][:space:]]';
create index listings_by_marks on listings
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512)
  where search ~ '[^[:alnum:][:space:]]';
create index payments_by_marks on payments
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512)
  where search ~ '[^[:alnum:][:space:]]';

-- Down Migration
drop index known_people_by_marks, orders_by_marks, listings_by_marks, payments_by_marks;
create index known_people_by_marks on known_people
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);
create index orders_by_marks on orders
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);
create index listings_by_marks on listings
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);
create index payments_by_marks on payments
  using gin (string_to_array(regexp_replace(search, '[[:alnum:][:space:]]', '', 'g'), null)) with (gin_pending_list_limit = 512);
