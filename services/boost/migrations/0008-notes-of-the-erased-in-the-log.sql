-- Up Migration

-- Whoever is erased from now on is told of by identity.
update events set data = data || '{"note": ""}'
 where type = 'BoostCaseRefunded' and (data ->> 'userId')::bigint in (select user_id from known_people where is_erased);

-- Down Migration
select;
