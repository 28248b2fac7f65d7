-- Up Migration

-- Whoever is erased from now on is told of by identity.
update boost_cases set note = null
 where note is not null and user_id in (select user_id from known_people where is_erased);

-- Down Migration
select;
