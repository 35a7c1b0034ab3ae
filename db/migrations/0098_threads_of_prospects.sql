-- Two of the six rows of others that each new thread had looked up and locked say nothing new: its account is that of the
-- row its other keys point to, and its campaign that of its prospect.
alter table email_threads
  drop constraint email_threads_account_id_fkey,
  drop constraint email_threads_account_id_campaign_id_fkey;
