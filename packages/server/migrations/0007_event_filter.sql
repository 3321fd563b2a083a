-- compatible: yes
-- A condition on the events of a subscription, as JSON; '' for none. An older program delivers the events without it: filters are set when all
-- processes run this release.
ALTER TABLE subscription ADD COLUMN filter {text} NOT NULL DEFAULT '';
