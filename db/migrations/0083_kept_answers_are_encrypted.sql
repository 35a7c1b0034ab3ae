-- Answers that are kept for idempotency keys can hold secrets that are shown once; from now on they are encrypted.
-- Those kept in plain text go: whoever repeats one of these requests across the upgrade makes it anew.
delete from idempotency_keys;
