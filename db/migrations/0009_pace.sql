-- When a campaign may send: windows of the week on the prospect's wall, holidays, first and last date. Checked by the
-- contract, read as a whole, never searched; null leaves the clock out of it.

alter table campaigns add column schedule jsonb;
