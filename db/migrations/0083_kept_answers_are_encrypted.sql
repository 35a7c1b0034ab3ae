-- Answers that are kept for idempotency keys can hold secrets that are shown once; from now on they are encrypted.
-- Those kept in plain text go: whoever repeats one of these requests across the upgrade makes it anew. All at once,
-- because row-level security would hide the rows from an owner of the tables who is no superuser.
truncate idempotency_keys;
