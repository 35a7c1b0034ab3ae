-- A company lets its own identity provider say who its people are (OpenID Connect). Whoever sets the provider can be
-- anybody of the domain, so it counts only once the domain's DNS names the account.
create table single_sign_ons (
  account_id         uuid primary key references accounts,
  issuer             text not null,
  client_id          text not null,
  client_secret      bytea not null,
  domain             text not null,
  -- Of several accounts that proved a domain it is the one's that did so last: whoever has the DNS today.
  domain_verified_at timestamptz(3),
  is_required        boolean not null,
  new_member_role    text check (new_member_role in ('viewer', 'member', 'manager')),
  created_at         timestamptz(3) not null default now(),
  updated_at         timestamptz(3) not null default now()
);
create index single_sign_ons_by_domain on single_sign_ons (domain) where domain_verified_at is not null;
call make_tenant_table('single_sign_ons');
create policy sign_in on single_sign_ons to overture_auth using (true);
grant select on single_sign_ons to overture_auth;
