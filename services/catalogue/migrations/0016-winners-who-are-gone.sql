-- Up Migration

-- An auction may end without a winner because whoever made the highest bid was banned or had left.
alter table auction_summaries drop constraint auction_summaries_outcome_check;
alter table auction_summaries add constraint auction_summaries_outcome_check
  check (outcome in ('won', 'no-bids', 'reserve-not-met', 'winner-unavailable'));

-- Down Migration
