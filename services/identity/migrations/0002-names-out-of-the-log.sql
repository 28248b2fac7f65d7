-- Up Migration

-- Names are personal, and what is in the log stays there: they move to the row that is deleted with the person.
alter table people add column username text;
update people p set username = u.username from users u where u.id = p.user_id;
alter table people alter column username set not null;
create unique index people_by_username on people (lower(username));
drop index users_by_username;
alter table users
  drop column username,
  add column closed_at timestamptz,
  add column erased_at timestamptz;
update events set data = data - 'username' || '{"person": null}' where type = 'UserRegistered';

-- Down Migration
alter table users drop column closed_at, drop column erased_at, add column username text;
update users u set username = p.username from people p where p.user_id = u.id;
create unique index users_by_username on users (lower(username));
drop index people_by_username;
alter table people drop column username;
