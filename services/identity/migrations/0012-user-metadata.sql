-- Up Migration

-- What the auth provider's clients keep with a person beside what we know by name. It is personal, and never read here.
alter table people add column metadata jsonb not null default '{}';

-- Down Migration
alter table people drop column metadata;
