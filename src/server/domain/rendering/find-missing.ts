import type { TemplateVariable } from '../../../contract/campaigns.ts'
import { mapPersonVariables, personFields } from '../../../contract/person-fields.ts'
import { createYielder } from '../../kernel/async/yield-to-event-loop.ts'
import type { Fragment, Sql } from '../../kernel/db/database.ts'
import { expandSpintax } from '../../protocols/templates/spintax.ts'
import { listVariables } from '../../protocols/templates/template.ts'
import type { FindMissing } from '../prospects/add-prospects.ts'
import { findMissingVariables } from './missing-variables.ts'
import { type DueStep, findSteps, selectFacts } from './step-facts.ts'

const CHUNK_SIZE = 200

/** Variables that don't depend on the prospect. */
const senderVariables = ['repName', 'senderName', 'senderEmail', 'signature']

export const findMissing: FindMissing = async ({ sql, app }, campaignId, prospectIds) => {
  const yieldIfDue = createYielder()
  const found = new Map<string, string[]>()
  const steps = prospectIds.length > 0 ? await findSteps(sql, campaignId) : []
  const lacking = lacksAny(sql, await listUsedVariables(steps))
  for (let start = 0; lacking && start < prospectIds.length; start += CHUNK_SIZE) {
    const ids = prospectIds.slice(start, start + CHUNK_SIZE)
    const chunk = await selectFacts(sql, app.now(), {
      where: sql`and r.id = any(${ids}::uuid[]) and (${lacking})`,
    })
    for (const facts of chunk) {
      const missing = (await findMissingVariables(facts, steps, yieldIfDue)).filter(
        name => !senderVariables.includes(name),
      )
      if (missing.length > 0) found.set(facts.prospectId, missing)
    }
  }
  return found
}

/** Lists the variables used in any variant of any step, without properties; includes `phone` for calls. */
export async function listUsedVariables(steps: readonly DueStep[]): Promise<string[]> {
  const templates = steps.flatMap(({ variants, call }) => [
    ...variants.flatMap(({ subject, body }) => [subject ?? '', body]),
    ...Object.values(call?.data ?? {}),
  ])
  const yieldIfDue = createYielder()
  const named = new Set<string>()
  for (const text of templates) {
    for (const name of listVariables(expandSpintax(text))) named.add(name.split('.')[0]!)
    await yieldIfDue()
  }
  if (steps.some(({ channel }) => channel === 'call')) named.add('phone')
  return [...named]
}

/**
 * Returns a condition for prospects that lack a value for at least one of the variables; only their texts need to be
 * rendered. Undefined if there are no variables. Ignores fallbacks.
 */
export function lacksAny(sql: Sql, variables: readonly string[]): Fragment | undefined {
  const builtIn: Record<TemplateVariable, Fragment> = {
    ...mapPersonVariables(field => sql.identifier(`p.${personFields[field].column}`)),
    fullName: sql`coalesce(p.first_name, p.last_name)`,
    company: sql`o.name`,
    companyDomain: sql`o.domain`,
    repName: sql`sender.name`,
    senderName: sql`sender.sender_name`,
    senderEmail: sql`sender.email`,
    signature: sql`sender.signature`,
  }
  const columns = new Map(Object.entries(builtIn))
  const isBlank = (column: Fragment) => sql`nullif(btrim(${column}), '') is null`
  const [first, ...others] = variables.map(name =>
    isBlank(columns.get(name) ?? sql`coalesce(p.custom ->> ${name}::text, o.custom ->> ${name}::text)`),
  )
  return first && others.reduce((either, other) => sql`${either} or ${other}`, first)
}
