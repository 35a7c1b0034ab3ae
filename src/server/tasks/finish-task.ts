import { completeCampaigns } from '../campaigns/moves.ts'
import { ownAccount, type Sql } from '../db.ts'
import { finishSteps } from '../prospects/advance-prospects.ts'
import { endTask, type TaskChannel } from './write-tasks.ts'

type Ending = { status: 'completed' | 'skipped'; text?: string | undefined; endedAt: Date }

/** It is over, and its prospect goes on; false when it was over before. The prospect is locked. */
export async function finishTask(
  tx: Sql,
  { id, prospectId, campaignId }: { id: string; prospectId: string; campaignId: string },
  ending: Ending,
): Promise<boolean> {
  if (!(await endTask(tx, id, ending))) return false
  if (await finishSteps(tx, [prospectId], ending.endedAt)) await completeCampaigns(tx, campaignId)
  return true
}

/** The rep did on LinkedIn itself what a task asks for: it is completed by that. Tells whether there was one. */
export async function finishTasksDone(
  tx: Sql,
  { repId, personId }: { repId: string; personId: string },
  channel: TaskChannel,
  done: { text?: string | undefined; endedAt: Date },
): Promise<boolean> {
  const tasks = await tx<{ id: string; prospectId: string; campaignId: string }[]>`
    select t.id, t.prospect_id as "prospectId", t.campaign_id as "campaignId"
      from prospects r
      join tasks t on t.account_id = r.account_id and t.prospect_id = r.id
     where r.account_id = ${ownAccount(tx)} and r.person_id = ${personId} and t.rep_id = ${repId}
       and t.channel = ${channel} and t.status = 'open'
     order by r.id
       for update of r`
  for (const task of tasks) await finishTask(tx, task, { ...done, status: 'completed' })
  return tasks.length > 0
}
