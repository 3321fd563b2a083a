-- What an undelivered event is about, such as set/7: later events about the same instance wait for it. '' holds nothing back.
ALTER TABLE undelivered ADD COLUMN instance {text} NOT NULL DEFAULT '';
