import type { Input } from '../../../contract/index.ts'
import type { Context } from '../../kernel/context.ts'
import { invalid, notFound } from '../../kernel/errors.ts'
import { businessDomain } from '../../protocols/identity/domain.ts'
import { canonicalEmail } from '../../protocols/identity/email.ts'
import { type StepFacts, selectFacts } from '../rendering/step-facts.ts'

type Person = Partial<NonNullable<Input<'previewCampaign'>['person']>>

/** Of that prospect, of that made up person, else of the campaign's first prospect, or of nobody when it has none. */
export async function readPreviewFacts(
  { sql, accountId, app }: Context,
  campaignId: string,
  prospectId: string | undefined,
  person: Person | undefined,
): Promise<{ facts: StepFacts; isProspect: boolean }> {
  const [campaign] = await sql`select from campaigns where account_id = ${accountId} and id = ${campaignId}`
  if (!campaign) throw notFound('campaign')
  if (!person) {
    const which = prospectId
      ? sql`and r.id = ${prospectId}`
      : sql`and r.id = (select id from prospects
                         where account_id = ${accountId} and campaign_id = ${campaignId}
                         order by created_at, id
                         limit 1)`
    const [facts] = await selectFacts(sql, app.now(), {
      where: sql`and r.campaign_id = ${campaignId} ${which}`,
    })
    if (facts) return { facts, isProspect: true }
    if (prospectId) throw invalid('prospectId', 'is no prospect of this campaign')
  }
  // With the campaign's id for its own: the words and variants chosen are the same each time.
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

function withPerson(facts: StepFacts, person: Person): StepFacts {
  const email = person.email === undefined ? null : canonicalEmail(person.email)
  if (email === undefined) throw invalid('person.email', 'is no email address')
  const { firstName, lastName, company, jobTitle, linkedinUrl, phone, city, state, country } = person
  const given = {
    firstName,
    lastName,
    company,
    jobTitle,
    title: jobTitle,
    linkedinUrl,
    phone,
    city,
    state,
    country,
  }
  const values = Object.fromEntries(Object.entries(given).map(([name, value]) => [name, value ?? null]))
  return {
    ...facts,
    contact: { email, linkedinUrl: null, phone: null },
    variables: {
      ...facts.variables,
      ...values,
      fullName: [firstName, lastName].filter(Boolean).join(' ') || null,
      email,
      companyDomain: (email && businessDomain(email)) || null,
    },
  }
}
