-- Saved queries that subscriptions name, and who is in their results as subscribers have been told.

CREATE TABLE query_watch (
  -- Outlives the query: its hosts have yet to leave it.
  query {text} PRIMARY KEY,
  account {text} NOT NULL REFERENCES account,
  biz_id {big} NOT NULL,
  -- What the query was called last.
  name {text} NOT NULL,
  -- Everything in the log up to here has been taken into account.
  position {big} NOT NULL,
  -- 1: no subscription names it any more, and its members are being removed.
  ended {big} NOT NULL
);

-- No reference to hosts: one that is deleted has yet to leave.
CREATE TABLE query_member (
  query {text} NOT NULL REFERENCES query_watch,
  host_id {big} NOT NULL,
  CONSTRAINT query_member_key PRIMARY KEY (query, host_id)
);
