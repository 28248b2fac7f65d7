-- Up Migration

-- What was taken away is shown as that to those who have written about it, and to nobody else.
alter table products add column is_removed boolean not null default false;

-- Down Migration
alter table products drop column is_removed;
