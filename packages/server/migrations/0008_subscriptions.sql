CREATE TABLE subscription (
  id {big} PRIMARY KEY,
  account {text} NOT NULL REFERENCES account,
  -- 0 for the events of all businesses.
  biz_id {big} NOT NULL,
  name {text} NOT NULL,
  system_name {text} NOT NULL,
  callback_url {text} NOT NULL,
  confirm_mode {text} NOT NULL,
  confirm_pattern {text} NOT NULL,
  -- Names of events, separated by commas.
  form {text} NOT NULL,
  timeout {big} NOT NULL,
  secret {text} NOT NULL,
  -- The secret before, which signs too until then.
  old_secret {text} NOT NULL,
  old_until {big} NOT NULL,
  paused {big} NOT NULL,
  -- Counts every change, so that whoever sends knows when it has to look again.
  version {big} NOT NULL,
  operator {text} NOT NULL,
  last_time {big} NOT NULL
);
CREATE UNIQUE INDEX subscription_name ON subscription (account, name);

-- How far a subscription has got, and who sends. Every write by a sender is conditional on epoch and old position.
CREATE TABLE delivery (
  subscription {big} PRIMARY KEY REFERENCES subscription,
  -- Everything in the log up to here has been sent or set aside.
  position {big} NOT NULL,
  -- Tickets of records that were there when it was subscribed and had no position yet: a JSON array.
  skipped {text} NOT NULL,
  -- No number below it is given out again.
  next_distribution {big} NOT NULL,
  -- A row of `sender`, or '' for nobody.
  owner {text} NOT NULL,
  epoch {big} NOT NULL,
  total {big} NOT NULL,
  failure {big} NOT NULL,
  -- Why it cannot be reached; '' when it can.
  unreachable {text} NOT NULL,
  -- What retention took before it was sent; 0 and 0 for nothing.
  lapsed_from {big} NOT NULL,
  lapsed_to {big} NOT NULL
);
CREATE INDEX delivery_owner ON delivery (owner);

-- Events that were rejected: waiting for their next try, or dead letters when due is NULL.
CREATE TABLE undelivered (
  subscription {big} NOT NULL REFERENCES delivery,
  position {big} NOT NULL,
  event {big} NOT NULL,
  distribution_id {big} NOT NULL,
  tries {big} NOT NULL,
  due {big},
  time {big} NOT NULL,
  error {text} NOT NULL,
  CONSTRAINT undelivered_key PRIMARY KEY (subscription, position, event)
);

-- Ranges of the log that are to be sent again.
CREATE TABLE replay (
  id {id},
  subscription {big} NOT NULL REFERENCES delivery,
  position {big} NOT NULL,
  last_position {big} NOT NULL
);
CREATE INDEX replay_of_subscription ON replay (subscription, id);

-- The last pushes. The number is that of the statistics' total.
CREATE TABLE attempt (
  subscription {big} NOT NULL REFERENCES delivery,
  number {big} NOT NULL,
  time {big} NOT NULL,
  position {big} NOT NULL,
  event {big} NOT NULL,
  distribution_id {big} NOT NULL,
  result {text} NOT NULL,
  status {big},
  duration {big} NOT NULL,
  error {text} NOT NULL,
  answer {text} NOT NULL,
  CONSTRAINT attempt_key PRIMARY KEY (subscription, number)
);

-- A process that sends, and until when it is taken to be alive, on the database's clock.
CREATE TABLE sender (
  id {text} PRIMARY KEY,
  expires {big} NOT NULL
);

sqlite: INSERT INTO sequence (kind, value) VALUES ('subscription', 0);
postgres: CREATE SEQUENCE subscription_id;
