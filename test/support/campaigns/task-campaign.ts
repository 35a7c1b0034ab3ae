import type { Output, RawInput } from '../../../src/contract/index.ts'
import { type Caller, makeCaller, type TestApp } from '../app.ts'
import { planOnce } from './tick.ts'

/** An active campaign of LinkedIn steps and tasks, whose rep has no mailbox. */
export type TaskCampaign = { owner: Caller; repId: string; campaignId: string; prospectIds: string[] }

type Steps = NonNullable<RawInput<'createCampaign'>['steps']>
type People = RawInput<'addProspectsToCampaign'>['data']

export const ada = { firstName: 'Ada', company: 'Analytical', linkedinUrl: 'linkedin.com/in/ada-byron' }

export async function makeTaskCampaign(
  app: TestApp,
  steps: Steps,
  people: People = [ada],
  settings: Partial<RawInput<'createCampaign'>> = {},
): Promise<TaskCampaign> {
  const owner = await makeCaller(app)
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
  const { id: campaignId } = await owner.call('createCampaign', {
    name: 'Spring',
    repIds: [repId],
    steps,
    ...settings,
  })
  const { data } =
    people.length > 0
      ? await owner.call('addProspectsToCampaign', { campaignId, data: people })
      : { data: [] }
  await owner.call('launchCampaign', { campaignId })
  await planAll(app)
  return { owner, repId, campaignId, prospectIds: data.map(({ prospectId }) => prospectId!) }
}

/** Plans all prospects that are due now. */
export async function planAll(app: TestApp): Promise<void> {
  while ((await planOnce(app)) > 0) {}
}

/** A campaign's task. */
export type Task = Output<'getTask'> & { prospectId: string }

/** Returns the tasks of the account's campaigns by due time. */
export const listTasks = async (
  { owner }: Pick<TaskCampaign, 'owner'>,
  filters: RawInput<'listTasks'> = {},
): Promise<Task[]> => {
  const { data } = await owner.call('listTasks', { limit: 100, ...filters })
  const tasks = data.filter((task): task is Task => task.prospectId !== undefined)
  return filters.status === 'open' ? tasks : tasks.reverse()
}
