-- compatible: yes
-- How many events of a subscription may be in flight, never two about one instance. An older program sends one at a time.
ALTER TABLE subscription ADD COLUMN parallel {big} NOT NULL DEFAULT 1;
-- Events behind `position` and `passed` that were sent or set aside before those in front of them, as JSON: [[position, event], ...], at most
-- about a thousand. An older program sends them again.
ALTER TABLE delivery ADD COLUMN settled_ahead {text} NOT NULL DEFAULT '[]';
ALTER TABLE replay ADD COLUMN settled_ahead {text} NOT NULL DEFAULT '[]';
