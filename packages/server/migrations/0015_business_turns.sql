-- A change may also wait to have one business for itself; 0: the whole account.
ALTER TABLE waiting_change ADD COLUMN business {big} NOT NULL DEFAULT 0;
