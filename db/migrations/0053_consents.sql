-- The law of many countries asks for consent before an AI voice may call, and for proof of it.

create table consents (
  account_id        uuid not null references accounts,
  id                uuid not null,
  phone             text not null,
  name              text,
  kind              text not null check (kind in ('written', 'express', 'existing_relationship')),
  covers            text not null check (covers in ('ai_voice_marketing', 'ai_voice_service')),
  proof             text not null,
  source            text,
  given_at          timestamptz(3) not null,
  recorded_by_id    uuid,
  withdrawn_at      timestamptz(3),
  withdrawn_by_id   uuid,
  withdrawal_reason text,
  created_at        timestamptz(3) not null default now(),
  updated_at        timestamptz(3) not null default now(),
  primary key (account_id, id),
  check (withdrawn_at is not null or num_nonnulls(withdrawn_by_id, withdrawal_reason) = 0)
);
create index consents_by_time on consents (account_id, created_at desc, id desc);
create index consents_by_phone on consents (account_id, phone, created_at desc, id desc);
call make_tenant_table('consents');

-- A proof that could be changed would be none. What can be added is the withdrawal.
revoke update, delete on consents from overture_app;
grant update (withdrawn_at, withdrawn_by_id, withdrawal_reason, updated_at) on consents to overture_app;

-- No consent outlives the wish to be left alone, also when that is taken off the list again.
create function withdraw_consents() returns trigger
  language plpgsql as $$
begin
  update consents c
     set withdrawn_at = now(), withdrawal_reason = 'opt_out', updated_at = now()
    from new_rows o
   where o.kind in ('phone', 'sms', 'whatsapp')
     and c.account_id = o.account_id and c.phone = o.value and c.withdrawn_at is null;
  return null;
end $$;
create trigger withdraw_consents after insert on opt_outs
  referencing new table as new_rows for each statement execute function withdraw_consents();
