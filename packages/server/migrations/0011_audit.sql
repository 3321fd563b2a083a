-- What somebody has done is found by the name, however long the log is.
CREATE INDEX log_by_operator ON log (account, operator, op_time, ticket);

-- How many records of each kind a sealed segment holds: ten million are counted without being read.
CREATE TABLE log_tally (
  account {text} NOT NULL,
  segment {big} NOT NULL,
  biz_id {big} NOT NULL,
  object_id {text} NOT NULL,
  operation {big} NOT NULL,
  operator {text} NOT NULL,
  records {big} NOT NULL,
  PRIMARY KEY (account, segment, biz_id, object_id, operation, operator)
);
CREATE INDEX log_tally_segment ON log_tally (segment);
-- Up to this position records have been tallied.
ALTER TABLE log_head ADD COLUMN tallied {big} NOT NULL DEFAULT 0;
