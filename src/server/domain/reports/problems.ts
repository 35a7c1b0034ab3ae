import type { Output } from '../../../contract/index.ts'
import { getPermissionScope } from '../../../contract/permissions.ts'
import { type Context, ownRepsOnly, withAccount } from '../../kernel/context.ts'
import type { Fragment } from '../../kernel/db/database.ts'
import type { MailClientKind } from '../../protocols/mail-oauth/provider.ts'
import { listMailClients } from '../mailboxes/mail-clients.ts'
import { isRetryable } from '../prospects/incomplete.ts'
import { openStatuses } from '../prospects/write-prospects.ts'
import { mailClientProblemQueries } from './mail-client-problems.ts'
import { mailboxProblemQueries } from './mailbox-problems.ts'
import {
  count,
  emailCampaigns,
  heldUpProspects,
  MAX_COUNT,
  type Query,
  queuedEmails,
  workingMailboxes,
} from './problem-query.ts'
import { problemSeverities, problemTexts } from './problem-texts.ts'

type Problem = Output<'listProblems'>['data'][number]
type Kind = Problem['kind']
/** A problem as it is selected. `reason` is the recorded cause, such as the response of a server. */
type Row = Omit<Problem, 'message' | 'nextStep' | 'severity' | 'since'> & {
  reason: string | null
  since: string | null
}

const severities = ['high', 'medium', 'low'] as const
const MAX_ROWS_PER_KIND = 50

export async function listProblems(ctx: Context): Promise<Output<'listProblems'>> {
  const { sql } = ctx
  const kinds = Object.entries(queries).filter(
    ([, { permission }]) => !permission || getPermissionScope(ctx.role, permission),
  )
  const selects = kinds.map(
    ([kind, { select }]) => sql`
      select ${kind} as kind, found.*
        from (${select(ctx)} order by id limit ${MAX_ROWS_PER_KIND}) found ("objectType", id, name, reason, since, waiting)`,
  )
  const rows = await sql<Row[]>`
    select p.kind, json_build_object('objectType', p."objectType", 'id', p.id, 'name', p.name) as about,
           p.reason, api_time(p.since) as since, p.waiting
      from ${withAccount(ctx)}
     cross join lateral (${selects.reduce((all, select) => sql`${all} union all ${select}`)}) p
     order by p.waiting desc, p.since, p.id`
  const mailboxIds = rows.filter(({ about }) => about.objectType === 'mailbox').map(({ about }) => about.id)
  const idleCampaigns = mailboxIds.length > 0 ? await findIdleCampaigns(ctx, mailboxIds) : new Map()
  const providers = mailboxIds.length > 0 ? await findProviders(ctx, mailboxIds) : new Map()
  const lacksConsent = rows.some(({ kind }) => kind === 'mailbox_consent_missing')
  const clients = lacksConsent ? (await listMailClients(ctx, {})).data : []
  const findConsentUrl = ({ kind, about }: Row): string | undefined =>
    kind === 'mailbox_consent_missing'
      ? clients.find(client => client.kind === providers.get(about.id))?.adminConsentUrl
      : undefined
  const sorted = severities.flatMap(severity =>
    rows.filter(({ kind }) => problemSeverities[kind] === severity),
  )
  return {
    data: sorted.map(row => {
      const { kind, about, reason, since, waiting } = row
      const url = findConsentUrl(row)
      return {
        kind,
        ...problemTexts[kind](about.name, reason ?? undefined, providers.get(about.id)),
        ...(url && { url }),
        severity: problemSeverities[kind],
        about,
        ...(since && { since }),
        waiting,
        ...(kind !== 'sent_copies_failing' &&
          idleCampaigns.has(about.id) && { campaigns: idleCampaigns.get(about.id) }),
      }
    }),
  }
}

/** Returns the providers of mailboxes that sign in with OAuth. */
async function findProviders(ctx: Context, mailboxIds: string[]): Promise<Map<string, MailClientKind>> {
  const grants = await ctx.sql<{ mailboxId: string; kind: MailClientKind }[]>`
    select g.mailbox_id as "mailboxId", g.kind
      from ${withAccount(ctx)}
      join mailbox_grants g on g.account_id = s.account_id and g.mailbox_id = any(${mailboxIds}::uuid[])`
  return new Map(grants.map(({ mailboxId, kind }) => [mailboxId, kind]))
}

type IdleCampaign = NonNullable<Problem['campaigns']>[number]

/** Finds the active campaigns of each mailbox that have no other working mailbox. */
async function findIdleCampaigns(ctx: Context, mailboxIds: string[]): Promise<Map<string, IdleCampaign[]>> {
  const { sql } = ctx
  const rows = await sql<(IdleCampaign & { mailboxId: string })[]>`
    select found.*
      from ${withAccount(ctx)}
     cross join lateral (
       select b.id as "mailboxId", c.id, c.name, ${heldUpProspects(ctx)} as prospects
         from (select c.* from ${emailCampaigns(ctx)} and not exists (${workingMailboxes(ctx)})) c
         join campaign_reps k on k.account_id = c.account_id and k.campaign_id = c.id
         join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id
        where b.id = any(${mailboxIds}::uuid[])
        order by prospects desc, c.id
        limit ${MAX_ROWS_PER_KIND}) found`
  const byMailbox = Map.groupBy(rows, ({ mailboxId }) => mailboxId)
  return new Map(
    [...byMailbox].map(([id, campaigns]) => [id, campaigns.map(({ mailboxId: _, ...campaign }) => campaign)]),
  )
}

/** Counts the open prospects of campaign `c`. */
const openProspects = (ctx: Context): Fragment =>
  count(
    ctx,
    ctx.sql`
      select from prospects r
       where r.account_id = c.account_id and r.campaign_id = c.id
         and r.status in ${openStatuses(ctx.sql)}`,
  )

const webhookProblems = (ctx: Context, condition: Fragment): Fragment => {
  const undelivered = ctx.sql`
    select from webhook_deliveries q
     where q.account_id = w.account_id and q.webhook_id = w.id and q.status in ('pending', 'failed')`
  return ctx.sql`
    select 'webhook', w.id, w.url, w.last_error, w.failing_since, ${count(ctx, undelivered)}
      from webhooks w
     where w.account_id = s.account_id and ${condition}`
}

const queries: Record<Kind, Query> = {
  ...mailboxProblemQueries,
  ...mailClientProblemQueries,
  sending_paused: {
    select: ctx => ctx.sql`
      select 'account', a.id, a.name, a.sending_pause_reason, a.sending_paused_at, ${queuedEmails(ctx, ctx.sql`true`)}
        from accounts a
       where a.id = s.account_id and a.sending_paused_at is not null`,
  },
  no_postal_address: {
    select: ctx => ctx.sql`
      select 'account', a.id, a.name, null, null::timestamptz,
             (select coalesce(sum(waiting), 0)::int
                from (select ${openProspects(ctx)} as waiting from ${emailCampaigns(ctx)} order by c.id limit 50) each_campaign)
        from accounts a
       where a.id = s.account_id and a.postal_address is null and exists (select from ${emailCampaigns(ctx)})`,
  },
  no_sender: {
    select: ctx => ctx.sql`
      select 'campaign', c.id, c.name, null, null::timestamptz, ${openProspects(ctx)}
        from ${emailCampaigns(ctx)}
         and not exists (select from campaign_reps k
                           join mailboxes b on b.account_id = k.account_id and b.rep_id = k.rep_id
                          where k.account_id = c.account_id and k.campaign_id = c.id and b.removed_at is null)`,
  },
  domain_errors: {
    select: ctx => ctx.sql`
      select 'domain', d.id, d.domain,
             (select string_agg(error ->> 'message', ' ')
                from jsonb_array_elements(d.checks) error where error ->> 'status' = 'error'),
             d.checked_at, 0
        from domains d
       where d.account_id = s.account_id and d.checks @> '[{"status": "error"}]'`,
  },
  prospects_failed: {
    select: ctx => ctx.sql`
      select 'campaign', c.id, c.name, failed.reason, null::timestamptz, failed.waiting
        from campaigns c
       cross join lateral (
         select min(r.status_reason) as reason, count(*)::int as waiting
           from (select status, status_reason from prospects
                  where account_id = c.account_id and campaign_id = c.id and status = 'failed' limit ${MAX_COUNT}) r
          where ${isRetryable(ctx.sql, ctx.sql`r`)}) failed
       where c.account_id = s.account_id and c.status = 'active' and failed.waiting > 0`,
  },
  emails_unconfirmed: {
    permission: 'Inbox.ReadInbox',
    select: ctx => ctx.sql`
      select 'account', a.id, a.name, null, unconfirmed.since, unconfirmed.waiting
        from accounts a
       cross join lateral (
         select min(e.sent_at) as since, count(*)::int as waiting
           from (select sent_at from email_messages w
                  where w.account_id = s.account_id and w.delivery_status = 'unconfirmed'
                    ${ownRepsOnly(ctx, 'Inbox.ReadInbox', ctx.sql`w.rep_id`)}
                  limit ${MAX_COUNT}) e) unconfirmed
       where a.id = s.account_id and unconfirmed.waiting > 0`,
  },
  linkedin_account_failing: {
    select: ctx => ctx.sql`
      select 'linkedin_account', l.id, o.name, l.status_reason, null::timestamptz,
             ${count(
               ctx,
               ctx.sql`
                 select from linkedin_sends q
                  where q.account_id = l.account_id and q.linkedin_account_id = l.id and q.state = 'queued'`,
             )}
        from linkedin_accounts l
        join reps o on o.account_id = l.account_id and o.id = l.rep_id
       where l.account_id = s.account_id and l.status = 'failing'`,
  },
  assistant_failing: {
    permission: 'Call.ReadCall',
    select: ctx => ctx.sql`
      select 'assistant', h.id, h.name, h.status_reason, null::timestamptz,
             ${count(
               ctx,
               ctx.sql`
                 select from calls q
                  where q.account_id = h.account_id and q.assistant_id = h.id and q.status = 'queued'`,
             )}
        from assistants h
       where h.account_id = s.account_id and h.status = 'failing'`,
  },
  reply_agent_unverified: {
    select: ctx => ctx.sql`
      select 'account', a.id, a.name, null, null::timestamptz, 0
        from reply_agents g
        join accounts a on a.id = g.account_id
       where g.account_id = s.account_id and g.verified_at is null`,
  },
  webhook_failing: {
    permission: 'Account.ManageWebhooks',
    select: ctx => webhookProblems(ctx, ctx.sql`w.is_enabled and w.failing_since is not null`),
  },
  webhook_disabled: {
    permission: 'Account.ManageWebhooks',
    select: ctx => webhookProblems(ctx, ctx.sql`w.disabled_reason is not null`),
  },
}
