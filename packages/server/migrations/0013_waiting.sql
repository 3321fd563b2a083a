-- Whoever waits to change the model or the levels of an account, until when by the database's clock: others let it go first. Without a
-- foreign key, which would wait for the very lock that is waited for. On SQLite one change at a time writes, and nobody marks anything.
CREATE TABLE waiting_change (
  account {text} NOT NULL,
  token {text} NOT NULL,
  until {big} NOT NULL,
  PRIMARY KEY (account, token)
);
