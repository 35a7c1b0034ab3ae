import { randomUUIDv7 } from 'node:crypto'
import { templateVariables } from '../../contract/campaigns.ts'
import type { Input } from '../../contract/index.ts'
import type { Context } from '../context.ts'
import { missingVariables } from '../email/template.ts'
import { AppError, type Detail, invalidAll } from '../errors.ts'

type Step = Input<'setCampaignSteps'>['steps'][number]

/** Throws `invalid` with every template that can't be read or names an unknown variable. */
export function checkSteps(steps: Step[]): void {
  const faults = steps.flatMap((step, index) => [
    ...templateFaults(`steps.${index}.subject`, step.subject),
    ...templateFaults(`steps.${index}.body`, step.body),
  ])
  if (faults.length > 0) throw invalidAll(faults)
}

function templateFaults(path: string, template: string): Detail[] {
  try {
    const unknown = missingVariables(template, templateVariables)
    if (unknown.length === 0) return []
    return [
      {
        path,
        message: `does not know ${unknown.join(', ')}; it may use ${templateVariables.join(', ')}`,
      },
    ]
  } catch (fault) {
    if (fault instanceof AppError && fault.code === 'ValidationError') {
      return [{ path, message: fault.message }]
    }
    throw fault
  }
}

/** A step keeps its id as long as its place stays, so that what was sent of it keeps its name. */
export async function writeSteps(ctx: Context, campaignId: string, steps: Step[]): Promise<void> {
  await ctx.sql`
    delete from campaign_steps
     where account_id = ${ctx.accountId} and campaign_id = ${campaignId} and position > ${steps.length}`
  for (const [index, { channel, subject, body }] of steps.entries()) {
    await ctx.sql`
      insert into campaign_steps (account_id, id, campaign_id, position, channel, subject, body)
      values (${ctx.accountId}, ${randomUUIDv7()}, ${campaignId}, ${index + 1}, ${channel}, ${subject}, ${body})
      on conflict (account_id, campaign_id, position) do update
         set channel = excluded.channel, subject = excluded.subject, body = excluded.body, updated_at = now()`
  }
}
