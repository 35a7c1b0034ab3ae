-- A request writes audit rows for its user in each of that user's accounts. It read the list of accounts on a connection of
-- another role, in the middle of its transaction: enough such requests held every connection and waited for each other.
-- From here on the transaction reads its user's memberships itself.
create policy own on members for select to overture_app using (user_id = (select current_user_id()));
