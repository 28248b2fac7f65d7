-- Up Migration
create sequence message_ids as bigint;

-- Who wrote to whom, and when. Rebuilt from the log by one command; what they wrote is in `message_texts`.
-- `command_id` is the sender's own id of the message, so that one that is sent again is still one.
create table messages (
  id bigint primary key,
  sender_id bigint not null,
  receiver_id bigint not null,
  product_id bigint,
  kind text not null check (kind in ('text', 'file', 'action')),
  sent_at timestamptz not null,
  read_at timestamptz,
  command_id text collate "C"
);
create unique index messages_by_command on messages (sender_id, command_id);
create index messages_between on messages (least(sender_id, receiver_id), greatest(sender_id, receiver_id), id desc);
create index messages_by_sender on messages (sender_id, id desc);
create index messages_by_receiver on messages (receiver_id, id desc);
create index messages_unread on messages (receiver_id, sender_id, id) where read_at is null;

-- What people wrote. Not a projection: it is in no event, so that it can be erased.
create table message_texts (
  message_id bigint primary key,
  content text not null
);

-- A conversation as each of the two sees it, so two rows each. Rebuilt from the log with `messages`.
create table conversations (
  user_id bigint not null,
  other_id bigint not null,
  last_message_id bigint not null,
  product_id bigint,
  unread_count integer not null default 0 check (unread_count >= 0),
  opened_by bigint not null,
  opened_at timestamptz not null,
  primary key (user_id, other_id)
);
create index conversations_by_last on conversations (user_id, last_message_id desc);
create index conversations_opened on conversations (opened_by, opened_at) where user_id = opened_by;

-- Read models of other services' facts. Of somebody who has deleted their account a row without a name is kept, which no late event
-- and no token can fill again. `ban_version` is that of the event in the person's stream.
create table people (
  user_id bigint primary key,
  username text,
  profile_image text,
  is_banned boolean not null default false,
  ban_version integer not null default 0,
  is_closed boolean not null default false,
  is_erased boolean not null default false
);

create table products (
  id bigint primary key,
  name text not null,
  price_sen bigint not null,
  given_image_url text,
  picture text
);

-- Down Migration
drop table products, people, conversations, message_texts, messages;
drop sequence message_ids;
