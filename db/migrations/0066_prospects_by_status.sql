-- The people of a campaign are looked through by their state: who replied, who is paused, whose address failed.
create index prospects_by_status on prospects (account_id, campaign_id, status, created_at desc, id desc);
