-- Rows for the tables that the demo leaves empty. `npm run baseline` adds them to the demo's rows.
create temp view acme as
  select a.id as account, m.user_id as owner
    from accounts a join members m on m.account_id = a.id and m.role = 'owner' where a.name = 'Acme';

insert into sessions (token_hash, id, user_id, user_agent, address, authenticated_at, expires_at)
select sha256('session'), '019b1000-0000-7000-8000-000000000001', owner, 'Firefox', '192.0.2.1', now(), now() + interval '30 days'
  from acme;
insert into sign_in_attempts (token_hash, kind, user_id, payload, expires_at)
select sha256('attempt'), 'second_factor', owner, '{"step": 1}', now() + interval '10 minutes' from acme;
insert into authenticator_apps (user_id, secret, last_step) select owner, 'sealed', 57000000 from acme;
insert into recovery_codes (user_id, code_hash)
select owner, sha256(code::bytea) from acme, unnest(array['one', 'two']) code;
insert into passkeys (id, user_id, credential_id, public_key, counter, transports, name, last_used_at)
select '019b1000-0000-7000-8000-000000000002', owner, 'credential', 'key', 7, '{internal,hybrid}', 'Laptop', now() from acme;
insert into single_sign_ons (account_id, issuer, client_id, client_secret, domain, domain_verified_at, is_required, new_member_role)
select account, 'https://id.acme.example', 'overture', 'sealed', 'acme.example', now(), false, 'member' from acme;
insert into former_members (account_id, user_id, email, name)
select account, owner, 'former@acme.example', 'Former Member' from acme;
insert into invitations (account_id, id, email, role, invited_by, expires_at)
select account, '019b1000-0000-7000-8000-000000000003', 'new@acme.example', 'manager', owner, now() + interval '7 days' from acme;
insert into idempotency_keys (account_id, user_id, key, request_hash, response)
select account, owner, 'import-1', sha256('request'), 'sealed' from acme;

insert into oauth_clients (id, metadata, connected_at)
values ('client-1', '{"client_name": "Assistant", "redirect_uris": ["https://assistant.example/callback"]}', now());
insert into oauth_grants (id, account_id, user_id, client_id, client_name, client_host, scopes, payload, expires_at)
select '019b1000-0000-7000-8000-000000000004', account, owner, 'client-1', 'Assistant', 'assistant.example', '{read,write}',
       '{"openid": {"scope": "read write"}}', now() + interval '90 days'
  from acme;
insert into oauth_records (kind, id_hash, payload, grant_id, expires_at)
values ('RefreshToken', sha256('refresh'), '{"exp": 1}', '019b1000-0000-7000-8000-000000000004', now() + interval '90 days');
insert into oauth_keys (id, private_jwk, signs_from) values ('key-1', 'sealed', now());

insert into custom_fields (account_id, id, key, label, type, choices)
select account, '019b1000-0000-7000-8000-000000000030', 'plan', 'Current plan', 'choice', '{Free,Team}' from acme;
update persons set custom = '{"plan": "Team"}' where id = (select p.id from persons p, acme where p.account_id = account order by p.id limit 1);
insert into notes (account_id, id, person_id, text, author_id)
select p.account_id, '019b1000-0000-7000-8000-000000000031', p.id, 'Met at a fair', owner
  from persons p, acme where p.account_id = account order by p.id limit 1;

insert into snippets (account_id, id, owner_id, name, text)
select account, '019b1000-0000-7000-8000-000000000033', owner, 'Book a call', 'Would Thursday suit you, {{ firstName }}?' from acme;
insert into saved_views (account_id, id, owner_id, kind, name, filters, columns)
select account, '019b1000-0000-7000-8000-000000000034', owner, 'people', 'Hot leads', '{"tag": "Hot lead"}', '{company,phone}' from acme;
insert into persons (account_id, id, erased_at, merged_into_id)
select p.account_id, '019b1000-0000-7000-8000-000000000032', now(), p.id
  from persons p, acme where p.account_id = account order by p.id limit 1;
insert into person_aliases (account_id, kind, value, person_id, duplicate_id)
select account_id, 'email', 'duplicate@person.example', merged_into_id, id from persons where merged_into_id is not null;

insert into person_tags (account_id, tag_id, id, created_at)
select p.account_id, g.id, p.id, p.created_at
  from acme, lateral (select * from persons where account_id = account order by id limit 1) p,
       lateral (select * from tags where account_id = account order by id limit 1) g;
update persons set owner_rep_id = (select r.id from reps r, acme where r.account_id = account order by r.id limit 1)
 where id = (select p.id from persons p, acme where p.account_id = account order by p.id limit 1);
insert into meetings (account_id, id, prospect_id, person_id, campaign_id, rep_id, source, external_id, starts_at, booked_at, notes)
select r.account_id, '019b1000-0000-7000-8000-000000000032', r.id, r.person_id, r.campaign_id, r.rep_id, 'cal_com', 'booking-1',
       now(), now(), 'A demo'
  from prospects r, acme where r.account_id = account order by r.id limit 1;

insert into meeting_webhooks (account_id, provider, signing_secret, last_received_at)
select account, 'cal_com', 'sealed', now() from acme;

insert into domains (account_id, id, domain, checks, checked_at)
select account, '019b1000-0000-7000-8000-000000000005', 'acme.example', '[{"name": "spf", "status": "ok"}]', now() from acme;
insert into dkim_keys (account_id, id, domain_id, selector, public_key, private_key, status)
select account, '019b1000-0000-7000-8000-000000000006', '019b1000-0000-7000-8000-000000000005', 'overture1', 'public', 'sealed', 'signing'
  from acme;

create temp view mailbox as
  select b.account_id as account, b.id from mailboxes b, acme where b.account_id = acme.account order by b.id limit 1;
insert into mailbox_syncs (account_id, mailbox_id, host, port, tls, login, password, status, sync_from, last_synced_at)
select account, id, 'imap.acme.example', 993, 'implicit', 'mia@acme.example', 'sealed', 'syncing', now(), now() from mailbox;
insert into mailbox_folders (account_id, mailbox_id, path, uid_validity, last_uid, trying_uid, tries)
select account, id, 'INBOX', 1700000000, 42, 43, 1 from mailbox;
insert into mailbox_skips (account_id, mailbox_id, path, uid_validity, uid, reason)
select account, id, 'INBOX', 1700000000, 41, 'unreadable' from mailbox;
insert into mailbox_attempts (account_id, mailbox_id, message_id, epoch, at)
select s.account_id, s.mailbox_id, s.message_id, 1, now()
  from email_sends s, acme where s.account_id = acme.account and s.state = 'sent' order by s.message_id limit 1;
insert into sent_copies (account_id, message_id, mailbox_id, raw, due_at)
select a.account_id, a.message_id, m.id, 'sent mail', now() from mailbox_attempts a, mailbox m;
insert into email_message_aliases (account_id, message_id, email_message_id)
select account_id, '<replaced@mail.acme.example>', message_id from mailbox_attempts;

insert into linkedin_accounts (account_id, id, rep_id, provider, secret, base_url, provider_account_id, api_key, member_id, status)
select account_id, '019b1000-0000-7000-8000-000000000007', rep_id, 'unipile', 'sealed', 'https://api.unipile.example', 'acc_1', 'sealed',
       'member-rep', 'working'
  from linkedin_conversations order by id limit 1;
insert into linkedin_members (account_id, member_id, person_id)
select account_id, 'member-1', person_id from linkedin_conversations where person_id is not null order by id limit 1;
insert into linkedin_sends (account_id, task_id, linkedin_account_id, kind, state, due_at, epoch, attempts, requested_at)
select t.account_id, t.id, a.id, 'message', 'sent', now(), 1, 1, now()
  from tasks t join linkedin_accounts a using (account_id) where t.channel = 'linkedin_message' order by t.id limit 1;

insert into webhooks (account_id, id, url, event_types, description, secret, last_delivered_at)
select account, '019b1000-0000-7000-8000-000000000008', 'https://hooks.acme.example/overture', '{prospect.*,email.received}', 'CRM',
       'sealed', now()
  from acme;
insert into webhook_deliveries (account_id, id, webhook_id, event_id, event_type, object_id, data, status, attempts, attempted_at,
                                response_status)
select p.account_id, '019b1000-0000-7000-8000-000000000009', '019b1000-0000-7000-8000-000000000008',
       '019b1000-0000-7000-8000-00000000000a', 'prospect.replied', p.id, '{"objectType": "prospect"}', 'delivered', 1, now(), 204
  from prospects p, acme where p.account_id = acme.account and p.status = 'replied' order by p.id limit 1;

insert into attachments (account_id, id, email_message_id, name, type, size)
select account_id, '019b1000-0000-7000-8000-000000000050', email_message_id, 'offer.txt', 'text/plain', 5 from email_message_aliases;
insert into attachment_pieces (account_id, attachment_id, number, bytes)
select account_id, id, 1, 'Hello' from attachments;

insert into live_accounts (account_id, until) select account, now() from acme;

insert into exports (account_id, id, user_id, kind, scope, status, until, row_count, bytes, pieces, expires_at)
select account, '019b1000-0000-7000-8000-000000000040', owner, 'opt_outs', 'all', 'finished', now(), 1, 30, 1, now() + interval '1 day'
  from acme;
insert into export_pieces (account_id, export_id, number, text)
select account, '019b1000-0000-7000-8000-000000000040', 1, E'identifier\r\nnever@acme.example\r\n' from acme;

insert into problems (account_id, id, kind, about_id, details)
select account, '019b1000-0000-7000-8000-000000000050', 'sending_paused', account,
       '{"kind": "sending_paused", "message": "All sending is paused.", "waiting": 1}'
  from acme;
insert into notification_settings (account_id, user_id, kinds, digest_hour)
select account, owner, '{"reply": {"email": "digest"}}', 7 from acme;
insert into notification_emails (account_id, id, user_id, digest_on, state, due_at, created_at)
select account, '019b1000-0000-7000-8000-000000000060', owner, current_date, 'sent', now(), now() from acme;
insert into notifications (account_id, id, user_id, kind, event_key, object_type, object_id, title, is_in_app, is_mailed, created_at)
select account, '019b1000-0000-7000-8000-000000000061', owner, 'problem', 'problem 1', 'problem',
       '019b1000-0000-7000-8000-000000000050', 'All sending is paused.', true, false, now()
  from acme;

insert into mail_clients (account_id, kind, client_id, secret, publishing_status)
select account, 'google', 'client-1.apps.googleusercontent.com', 'sealed', 'internal' from acme;
insert into mailbox_grants (account_id, mailbox_id, kind, subject, login, client_id, refresh_token, connected_at)
select b.account_id, b.id, 'google', '1234567890', b.email, 'client-1.apps.googleusercontent.com', 'sealed', now()
  from mailboxes b, acme where b.account_id = account order by b.id limit 1;
insert into mailbox_connections (account_id, mailbox_id, state_hash, user_id, kind, client_id, secret, expires_at)
select b.account_id, b.id, sha256('state'), owner, 'google', 'client-1.apps.googleusercontent.com', 'sealed', now() + interval '10 minutes'
  from mailboxes b, acme where b.account_id = account order by b.id limit 1;

insert into dmarc_reports (account_id, id, domain_id, organization, report_id, begins_at, ends_at)
select d.account_id, '019b1000-0000-7000-8000-0000000000d1', d.id, 'google.com', '1', now() - interval '1 day', now()
  from domains d, acme where d.account_id = account order by d.id limit 1;
insert into dmarc_sources (account_id, report_id, ip, messages, passed, dkim_passed, spf_passed, quarantined, rejected, domains)
select account, '019b1000-0000-7000-8000-0000000000d1', '192.0.2.1', 3, 2, 1, 2, 0, 1, '{acme.example}' from acme;

insert into mailbox_aliases (account_id, mailbox_id, email, status, test_id, tested_at, verified_at, is_sender)
select b.account_id, b.id, 'sales@acme.example', 'verified', '019b1000-0000-7000-8000-0000000000e1', now(), now(), true
  from mailboxes b, acme where b.account_id = account order by b.id limit 1;
