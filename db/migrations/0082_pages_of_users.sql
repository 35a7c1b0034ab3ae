-- Tokens, sessions, applications, members and invitations are listed by pages: each is one range of an index.
drop index api_tokens_by_user;
create index api_tokens_by_user on api_tokens (user_id, created_at desc, id desc);
drop index sessions_by_user;
create index sessions_by_user on sessions (user_id, created_at desc, id desc);
drop index oauth_grants_by_user;
create index oauth_grants_by_user on oauth_grants (user_id, created_at desc, id desc);
create index members_by_time on members (account_id, created_at desc, user_id desc);
create index invitations_by_time on invitations (account_id, created_at desc, id desc);
-- Asked for each user that a page shows, where all members of the account were read for it before.
alter policy colleagues on users using (
  exists (select from members m where m.account_id = (select current_account_id()) and m.user_id = users.id));
