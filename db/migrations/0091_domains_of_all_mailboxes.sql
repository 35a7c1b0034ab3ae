-- An owner of the tables who is no superuser saw no mailbox when domains came: row-level security hid them.
do $$
declare
  account uuid;
begin
  for account in select id from accounts loop
    perform set_config('app.account_id', account::text, true);
    insert into domains (account_id, id, domain)
    select account, new_id(), domain
      from (select distinct split_part(email, '@', 2) as domain
              from mailboxes
             where account_id = account and kind = 'smtp' and removed_at is null) sent_from
    on conflict do nothing;
  end loop;
end $$;
