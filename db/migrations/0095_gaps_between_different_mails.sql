-- A mailbox rests after a mail of this prospect: that mail itself may be tried again, those of others wait.
alter table mailboxes add column rests_after uuid;
