-- compatible: yes
-- The records of a request: to undo it, and to find it in the audit log.
concurrently: CREATE INDEX log_by_request ON log (account, request_id, ticket);
