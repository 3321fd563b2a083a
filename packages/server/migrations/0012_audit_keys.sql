-- What was done to a host is found by its address, however long the log is. Few records of other things have a key.
CREATE INDEX log_by_key ON log (account, ext_key, ticket) WHERE ext_key <> '';
-- Of several addresses one may be asked for: such keys are few, and looked into.
CREATE INDEX log_by_keys ON log (account, ticket) WHERE ext_key LIKE '%,%';
