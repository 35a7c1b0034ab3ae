-- What was sent for a rep is known, and counted by the caps, also after the account that sent it was disconnected.
alter table linkedin_sends
  alter column linkedin_account_id drop not null,
  drop constraint linkedin_sends_account_id_linkedin_account_id_fkey,
  add foreign key (account_id, linkedin_account_id) references linkedin_accounts (account_id, id)
    on delete set null (linkedin_account_id);
