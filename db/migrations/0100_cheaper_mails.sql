-- As in 0098: these are never deleted, and whoever writes what points to them found them by the same account.
alter table email_threads drop constraint email_threads_account_id_prospect_id_fkey;
alter table email_sends
  drop constraint email_sends_account_id_mailbox_id_fkey,
  drop constraint email_sends_account_id_prospect_id_fkey;

-- Where nobody listens, which is asked first, there is nothing to announce.
create or replace function announce_email() returns trigger
language plpgsql as $$
begin
  if exists (select from webhooks where account_id = new.account_id and is_enabled) then
    perform announce(new.account_id,
                     'email.' || case when new.type = 'received' then 'received'
                                      when tg_op = 'UPDATE' and old.status = 'sent' then new.delivery_status
                                      when new.status = 'sent' then 'sent'
                                      else new.delivery_status end,
                     array[new.id]);
  end if;
  return null;
end $$;
create or replace function announce_prospect() returns trigger
language plpgsql as $$
begin
  if exists (select from webhooks where account_id = new.account_id and is_enabled) then
    perform announce(new.account_id,
                     'prospect.' || case when new.status in ('pending', 'active') then 'resumed' else new.status end,
                     array[new.id]);
  end if;
  return null;
end $$;
