import type { Input } from '../../../contract/index.ts'
import { getInputName, mapPersonVariables, type PersonInputName } from '../../../contract/person-fields.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { toBusinessDomain } from '../../protocols/identity/domain.ts'
import { requireEmail } from '../../protocols/identity/email.ts'
import { type StepFacts, selectFacts } from '../rendering/step-facts.ts'

type Person = Partial<NonNullable<Input<'previewCampaign'>['person']>>

/** Reads the facts of the given prospect or person, or else of the campaign's first prospect or of an empty person. */
export async function readPreviewFacts(
  { sql, accountId, app }: Context,
  campaignId: string,
  prospectId: string | undefined,
  person: Person | undefined,
): Promise<{ facts: StepFacts; isProspect: boolean }> {
  const [campaign] = await sql`select from campaigns where account_id = ${accountId} and id = ${campaignId}`
  if (!campaign) throw notFound('campaign')
  if (!person) {
    const condition = prospectId
      ? sql`and r.id = ${prospectId}`
      : sql`and r.id = (select id from prospects
                         where account_id = ${accountId} and campaign_id = ${campaignId}
                         order by created_at, id
                         limit 1)`
    const [facts] = await selectFacts(sql, app.now(), {
      where: sql`and r.campaign_id = ${campaignId} ${condition}`,
    })
    if (facts) return { facts, isProspect: true }
    if (prospectId) throw invalid('prospectId', 'must be the ID of a prospect of this campaign')
  }
  // The campaign's ID serves as the prospect's, so that the same variants and spintax options are chosen each time.
  const [facts] = await selectFacts(sql, app.now(), {
    prospects: sql`jsonb_populate_record(null::prospects, ${sql.json({
      account_id: accountId,
      id: campaignId,
      campaign_id: campaignId,
      status: 'pending',
      steps_done: 0,
      created_at: app.now().toISOString(),
    })})`,
    where: sql``,
  })
  return { facts: withPerson(facts!, person ?? {}), isProspect: false }
}

function withPerson(facts: StepFacts, { custom, ...named }: Person): StepFacts {
  const email = named.email === undefined ? null : requireEmail(named.email, 'person.email')
  const fields: Partial<Record<PersonInputName, string | undefined>> = named
  return {
    ...facts,
    contact: { email, linkedinUrl: null, phone: null },
    variables: {
      ...facts.variables,
      ...custom,
      ...mapPersonVariables(field => fields[getInputName(field)] ?? null),
      fullName: [named.firstName, named.lastName].filter(Boolean).join(' ') || null,
      email,
      company: named.company ?? null,
      companyDomain: (email && toBusinessDomain(email)) || null,
    },
  }
}
