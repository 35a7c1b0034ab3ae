-- What outlives a session, such as an API token, asks for a sign-in of the last minutes. Sessions from before don't know
-- when theirs was, so their users are asked once. A session that is confirmed gets a new token: every process must hear.
alter table sessions add column authenticated_at timestamptz(3);
create or replace trigger access_changed
  after delete or update of token_hash, authenticated_at on sessions
  for each statement execute function announce_access_change();
