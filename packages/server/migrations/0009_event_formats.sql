-- compatible: yes
-- How events are written, how many one request may have, and how long an event waits for others. An older program sends each event in a request of
-- its own, as bk-cmdb does: other formats are chosen when all processes run this release.
ALTER TABLE subscription ADD COLUMN format {text} NOT NULL DEFAULT 'bk-cmdb';
ALTER TABLE subscription ADD COLUMN batch_max {big} NOT NULL DEFAULT 1;
ALTER TABLE subscription ADD COLUMN batch_wait_ms {big} NOT NULL DEFAULT 0;
