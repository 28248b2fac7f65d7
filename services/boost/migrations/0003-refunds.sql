-- Up Migration
alter table boost_cases
  drop constraint boost_cases_state_check,
  add constraint boost_cases_state_check check (state in ('open', 'chosen', 'boosted', 'refunded')),
  add column note text,
  add column refunded_at timestamptz;
-- What administrators look at.
create index boost_cases_unsettled on boost_cases (id desc) where state in ('open', 'chosen');

-- Down Migration
drop index boost_cases_unsettled;
update boost_cases set state = 'open' where state = 'refunded';
alter table boost_cases
  drop column refunded_at,
  drop column note,
  drop constraint boost_cases_state_check,
  add constraint boost_cases_state_check check (state in ('open', 'chosen', 'boosted'));
