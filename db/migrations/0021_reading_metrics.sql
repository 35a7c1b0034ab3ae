-- The engine tells how stale the inboxes are, over all accounts.

grant select (status, last_read_at, created_at) on mailbox_readings to overture_engine;
