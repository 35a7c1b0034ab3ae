-- Answers that are kept for idempotency keys can hold secrets that are shown once; from now on they are encrypted.
-- Those kept in plain text go: whoever repeats one of these requests across the upgrade makes it anew.
-- Account by account, for row-level security holds for the tables' owner, too.
do $$
declare
  account uuid;
begin
  for account in select id from accounts loop
    perform set_config('app.account_id', account::text, true);
    delete from idempotency_keys where account_id = account;
  end loop;
end $$;
