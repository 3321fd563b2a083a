-- Who keeps something of their own: settings, favourites, a history. The row is the lock on all of it.
CREATE TABLE owner (
  account {text} NOT NULL REFERENCES account,
  name {text} NOT NULL,
  CONSTRAINT owner_key PRIMARY KEY (account, name)
);

CREATE TABLE setting (
  setting_id {text} NOT NULL,
  account {text} NOT NULL,
  owner {text} NOT NULL,
  -- JSON as text: it is given back as it was sent, and its size is the same on both engines.
  kept {text} NOT NULL,
  CONSTRAINT setting_key PRIMARY KEY (account, owner),
  CONSTRAINT setting_owner FOREIGN KEY (account, owner) REFERENCES owner (account, name)
);

-- A host search that somebody has given a name.
CREATE TABLE favourite (
  id {id},
  favourite_id {text} NOT NULL,
  account {text} NOT NULL,
  owner {text} NOT NULL,
  name {text} NOT NULL,
  info {text} NOT NULL,
  query_params {text} NOT NULL,
  is_default {big} NOT NULL,
  uses {big} NOT NULL,
  create_time {big} NOT NULL,
  last_time {big} NOT NULL,
  CONSTRAINT favourite_key UNIQUE (favourite_id),
  CONSTRAINT favourite_name UNIQUE (account, owner, name),
  CONSTRAINT favourite_owner FOREIGN KEY (account, owner) REFERENCES owner (account, name)
);

-- The host searches that somebody has made last.
CREATE TABLE search_history (
  id {id},
  search_id {text} NOT NULL,
  account {text} NOT NULL,
  owner {text} NOT NULL,
  content {text} NOT NULL,
  create_time {big} NOT NULL,
  CONSTRAINT search_history_key UNIQUE (search_id),
  CONSTRAINT search_history_owner FOREIGN KEY (account, owner) REFERENCES owner (account, name)
);
CREATE INDEX search_history_of_owner ON search_history (account, owner, id);
