import type { TemplateVariable } from '../../contract/campaigns.ts'
import { nextStep } from '../campaigns/next-step.ts'
import type { Delay } from '../campaigns/step-delay.ts'
import type { Sql } from '../db.ts'

export type DueStep = {
  id: string
  delay: Delay
  thread: 'same' | 'new'
  variants: { id: string; subject: string | null; body: string; weight: number }[]
}

/** All that planning one email needs, read at once. */
export type StepFacts = {
  campaignId: string
  campaignStatus: string
  prospectStatus: string
  personId: string
  step: DueStep | undefined
  /** From when the delay of its step counts. */
  waitsSince: Date
  timezone: string
  rep: { id: string; name: string; mailboxId: string; email: string; senderName: string } | undefined
  contact: { email: string | null; linkedinUrl: string | null; phone: string | null }
  variables: Record<TemplateVariable, string | null>
  optOutLine: string | null
  postalAddress: string | null
}

type Row = Omit<StepFacts, 'step' | 'rep' | 'contact' | 'variables'> & {
  step: DueStep | null
  repId: string | null
  repName: string
  mailboxId: string
  mailboxEmail: string
  senderName: string
  firstName: string | null
  lastName: string | null
  email: string | null
  linkedinUrl: string | null
  phone: string | null
  title: string | null
  city: string | null
  state: string | null
  country: string | null
  company: string | null
  companyDomain: string | null
}

/**
 * The facts of a claimed prospect, its row locked; undefined when the claim is void or the prospect is gone. The
 * prospect keeps its rep; a new one gets the campaign's reps in turn, those with a working mailbox alone.
 */
export async function readStepFacts(
  tx: Sql,
  { id, epoch }: { id: string; epoch: bigint },
): Promise<StepFacts | undefined> {
  const [row] = await tx<Row[]>`
    select c.id as "campaignId", c.status as "campaignStatus", r.status as "prospectStatus", p.id as "personId",
           greatest(coalesce(r.waits_since, r.created_at), c.launched_at) as "waitsSince", a.timezone,
           case when st.id is not null then json_build_object(
             'id', st.id,
             'delay', json_build_object('amount', st.delay_amount, 'unit', st.delay_unit),
             'thread', st.thread,
             'variants', (select json_agg(json_build_object('id', v.id, 'subject', v.subject, 'body', v.body, 'weight', v.weight)
                                          order by v.position)
                            from campaign_step_variants v
                           where v.account_id = st.account_id and v.step_id = st.id and v.removed_at is null)) end as step,
           sender.rep_id as "repId", sender.name as "repName", sender.mailbox_id as "mailboxId",
           sender.email as "mailboxEmail", sender.sender_name as "senderName",
           p.first_name as "firstName", p.last_name as "lastName", p.email, p.linkedin_url as "linkedinUrl", p.phone,
           p.title, p.city, p.state, p.country, o.name as company, o.domain as "companyDomain",
           a.opt_out_line as "optOutLine", a.postal_address as "postalAddress"
      from prospects r
      join campaigns c on c.account_id = r.account_id and c.id = r.campaign_id
      join persons p on p.account_id = r.account_id and p.id = r.person_id
      join accounts a on a.id = r.account_id
      left join companies o on o.account_id = p.account_id and o.id = p.company_id
      left join lateral (${nextStep(tx)}) st on true
      left join lateral (
        select e.id as rep_id, e.name, b.id as mailbox_id, b.email, coalesce(b.sender_name, e.name) as sender_name
          from campaign_reps cr
          join reps e on e.account_id = cr.account_id and e.id = cr.rep_id
          join mailboxes b on b.account_id = e.account_id and b.rep_id = e.id and b.status = 'active' and b.removed_at is null
         where cr.account_id = r.account_id and cr.campaign_id = c.id and (r.rep_id is null or cr.rep_id = r.rep_id)
         -- The same prospect meets the same mailbox again, and prospects spread evenly over all of them.
         order by hashtextextended(b.id::text || r.id::text, 0)
         limit 1
      ) sender on true
     where r.account_id = current_account_id() and r.id = ${id} and r.lease_epoch = ${epoch}
       for update of r`
  return row && toFacts(row)
}

function toFacts(row: Row): StepFacts {
  const { email, linkedinUrl, phone } = row
  return {
    campaignId: row.campaignId,
    campaignStatus: row.campaignStatus,
    prospectStatus: row.prospectStatus,
    personId: row.personId,
    step: row.step ?? undefined,
    waitsSince: row.waitsSince,
    timezone: row.timezone,
    rep: row.repId
      ? {
          id: row.repId,
          name: row.repName,
          mailboxId: row.mailboxId,
          email: row.mailboxEmail,
          senderName: row.senderName,
        }
      : undefined,
    contact: { email, linkedinUrl, phone },
    variables: {
      firstName: row.firstName,
      lastName: row.lastName,
      fullName: [row.firstName, row.lastName].filter(Boolean).join(' ') || null,
      email,
      title: row.title,
      jobTitle: row.title,
      company: row.company,
      companyDomain: row.companyDomain,
      city: row.city,
      state: row.state,
      country: row.country,
      phone,
      linkedinUrl,
      repName: row.repName,
      senderName: row.senderName,
      senderEmail: row.mailboxEmail,
    },
    optOutLine: row.optOutLine,
    postalAddress: row.postalAddress,
  }
}
