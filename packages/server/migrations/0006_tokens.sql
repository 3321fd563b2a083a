-- What a caller proves to be someone with. Secrets are random and long, so that one pass of SHA-256 keeps them.
CREATE TABLE token (
  id {id},
  account {text} NOT NULL REFERENCES account,
  user_name {text} NOT NULL,
  -- What its owner calls it.
  name {text} NOT NULL,
  secret_hash {text} NOT NULL,
  read_only {big} NOT NULL,
  create_time {big} NOT NULL,
  -- NULL: never.
  expires {big},
  last_used {big},
  revoked {big}
);

-- Browsers that are signed in. The account comes into being with the first request made in it.
CREATE TABLE session (
  id_hash {text} PRIMARY KEY,
  account {text} NOT NULL,
  user_name {text} NOT NULL,
  expires {big} NOT NULL
);
CREATE INDEX session_by_expiry ON session (expires);
