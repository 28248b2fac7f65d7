-- Up Migration

-- The browsers that notices are pushed to. The endpoint is a secret of the browser, its push service and ours. A row goes with the session that it was
-- made in. Not a projection.
create table push_subscriptions (
  id bigint generated always as identity primary key,
  user_id bigint not null,
  session_id text not null,
  service text not null,
  endpoint text not null unique,
  p256dh text not null,
  auth text not null,
  language text not null,
  topics text[] not null,
  told_at timestamptz not null default now()
);
create index push_subscriptions_of on push_subscriptions (user_id);
create index push_subscriptions_of_session on push_subscriptions (session_id);

-- What is to be pushed to them: of each thing one, like the notice that it names. `due_at` is null once nothing is left to do.
create table pushes (
  subscription_id bigint not null references push_subscriptions on delete cascade,
  topic text not null,
  topic_id bigint not null,
  notice_id bigint not null,
  due_at timestamptz,
  tries integer not null default 0,
  sent_at timestamptz,
  primary key (subscription_id, topic, topic_id)
);
create index pushes_due on pushes (due_at) where due_at is not null;

-- Down Migration
drop table pushes, push_subscriptions;
