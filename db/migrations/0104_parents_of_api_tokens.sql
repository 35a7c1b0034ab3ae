-- A token that made another one and then expired or was revoked left the other behind. A token now ends with its parent.
-- Tokens made before have none: nobody noted who made them.
alter table api_tokens add column parent_id uuid references api_tokens;
create index api_tokens_by_parent on api_tokens (parent_id) where parent_id is not null;
grant select (parent_id) on api_tokens to overture_app;
