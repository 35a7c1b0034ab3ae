-- `*@acme.com` was stored as the address of one person, and so blocked nobody. It means everybody there, as a domain does.
-- Account by account, for row-level security holds for the tables' owner, too, and to lift it the list would be locked.
do $$
declare
  account uuid;
begin
  for account in select id from accounts loop
    perform set_config('app.account_id', account::text, true);
    insert into opt_outs (account_id, id, kind, value, name, source, email_message_id, created_at)
    select distinct on (domain) account_id, new_id(), 'domain', domain, name, source, email_message_id, created_at
      from (select o.*, regexp_replace(split_part(value, '@', 2), '^(www\.)+(?=[^.]+\.)', '') as domain
              from opt_outs o
             where account_id = account and kind = 'email' and value ~ '^[*%]+@') misread
     order by domain, created_at
    on conflict (account_id, kind, value) do nothing;
    delete from opt_outs where account_id = account and kind = 'email' and value ~ '^[*%]+@';
  end loop;
end $$;
