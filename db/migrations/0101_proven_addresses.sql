-- Anybody who administers an account can invite any address and, where the link is shown to them, accept in its name.
-- So the server records when somebody showed that an address is theirs; until then what was made in its name counts
-- in no further account.

alter table users add column email_verified_at timestamptz(3);

-- The first user was made by whoever runs the server. Of the others nothing is known.
update users set email_verified_at = created_at
 where id = (select id from users order by created_at, id limit 1);

-- Whom a link created: nobody but its holder made anything in that name before the user joins by it.
alter table invitations add column created_user_id uuid references users;
grant update (created_user_id) on invitations to overture_auth;
