-- Up Migration

-- An auction may end without a winner because whoever made the highest bid was banned or had left.
alter table auctions drop constraint auctions_outcome_check;
alter table auctions add constraint auctions_outcome_check
  check (outcome in ('won', 'no-bids', 'reserve-not-met', 'winner-unavailable'));

-- Down Migration
