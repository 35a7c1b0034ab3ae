-- A user sees which applications are connected in their name, and ends what they no longer want.
create policy own on oauth_grants to overture_app using (user_id = (select current_user_id()));
grant select (id, user_id, client_name, client_host, scopes, created_at, updated_at, last_used_at, expires_at, revoked_at),
      update (revoked_at, updated_at)
  on oauth_grants to overture_app;
