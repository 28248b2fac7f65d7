-- Up Migration

-- Why administrators did what they did to somebody, and when: `at` is that of the event. It is personal, and what is in the log stays there: it goes
-- with the row of the person.
create table moderation_reasons (
  user_id bigint not null references people on delete cascade,
  at timestamptz not null,
  reason text not null,
  primary key (user_id, at)
);
insert into moderation_reasons (user_id, at, reason) select user_id, banned_at, reason from ban_reasons;
drop table ban_reasons;

-- What administrators narrow their tables by.
alter table users add column is_verified boolean not null default false, add column banned_at timestamptz;
update users u set is_verified = true
 where exists (select from events e where e.stream = 'user-' || u.id and e.type = 'EmailVerified');
update users u
   set banned_at = (select max((e.data ->> 'bannedAt')::timestamptz) from events e
                     where e.stream = 'user-' || u.id and e.type = 'UserBanned')
 where u.is_banned;

-- Down Migration
create table ban_reasons (
  user_id bigint primary key references people on delete cascade,
  reason text not null,
  banned_at timestamptz not null
);
insert into ban_reasons (user_id, reason, banned_at)
select r.user_id, r.reason, r.at from moderation_reasons r join users u on u.id = r.user_id and u.banned_at = r.at;
drop table moderation_reasons;
alter table users drop column banned_at, drop column is_verified;
