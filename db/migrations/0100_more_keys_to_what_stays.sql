-- As in 0098: these are never deleted, and whoever writes what points to them found them by the same account.
alter table email_threads drop constraint email_threads_account_id_prospect_id_fkey;
alter table email_sends
  drop constraint email_sends_account_id_mailbox_id_fkey,
  drop constraint email_sends_account_id_prospect_id_fkey;
