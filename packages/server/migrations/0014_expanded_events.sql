-- A record that renames something gives one hostidentifier for each host below it, which may be very many. How many events of the record
-- behind `position` have been sent or set aside is kept too, so that a restart does not begin them anew.
ALTER TABLE delivery ADD COLUMN passed {big} NOT NULL DEFAULT 0;
ALTER TABLE replay ADD COLUMN passed {big} NOT NULL DEFAULT 0;
