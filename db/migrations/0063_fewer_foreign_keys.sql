-- Each mail that is sent had twenty rows of others looked up and locked by foreign keys, a tenth of what it costs. These
-- say nothing new: a message has the campaign, prospect and rep of its thread, taken over from it by the one statement
-- that inserts messages, and no account is another's than that of the row its other keys point to.
alter table email_messages
  drop constraint email_messages_account_id_fkey,
  drop constraint email_messages_account_id_campaign_id_fkey,
  drop constraint email_messages_account_id_prospect_id_fkey,
  drop constraint email_messages_account_id_rep_id_fkey;
alter table email_sends drop constraint email_sends_account_id_fkey;
alter table mailbox_attempts drop constraint mailbox_attempts_account_id_fkey;
