-- compatible: yes
-- Changes by the reason that was given for them. Few have one.
concurrently: CREATE INDEX log_by_reason ON log (account, reason, ticket) WHERE reason <> '';
