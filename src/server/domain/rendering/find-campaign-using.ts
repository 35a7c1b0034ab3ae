import type { Context } from '../../kernel/context.ts'
import { listUsedVariables } from './find-missing.ts'
import { findSteps } from './step-facts.ts'

/** Returns the name of a campaign whose steps use the variable and which is neither completed nor archived. */
export async function findCampaignUsing(
  { sql, accountId }: Context,
  variable: string,
): Promise<string | undefined> {
  const contains = (text: string) => sql`position(${variable} in ${sql.unsafe(text)}) > 0`
  const campaigns = await sql<{ id: string; name: string }[]>`
    select c.id, c.name
      from campaigns c
     where c.account_id = ${accountId} and c.status <> 'completed' and not c.is_archived
       and exists (select
                     from campaign_steps st
                     left join campaign_step_variants v on v.account_id = st.account_id and v.step_id = st.id
                    where st.account_id = c.account_id and st.campaign_id = c.id and st.removed_at is null
                      and (${contains('v.subject')} or ${contains('v.body')} or ${contains('st.call_data::text')}))
     order by c.created_at, c.id`
  for (const { id, name } of campaigns)
    if ((await listUsedVariables(await findSteps(sql, id))).includes(variable)) return name
  return undefined
}
