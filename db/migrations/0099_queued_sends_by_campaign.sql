-- Asked for what waits in a campaign's queue alone: what is under way need not be written into it twice more.
drop index email_sends_by_campaign;
create index email_sends_by_campaign on email_sends (account_id, campaign_id) where state = 'queued';
