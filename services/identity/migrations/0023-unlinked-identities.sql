-- Up Migration

-- Who somebody is at another site and does not want to be let in as any more. A new sign-in there with the same address must not connect it again.
create table unlinked_identities (
  user_id bigint not null references people on delete cascade,
  provider text not null,
  subject text not null,
  primary key (user_id, provider, subject)
);

-- Down Migration
drop table unlinked_identities;
