import type { Output, RawInput } from '../../../src/contract/index.ts'
import { aCaller, type Caller, type TestApp } from '../app.ts'
import { planOnce } from './tick.ts'

/** A campaign of LinkedIn steps and tasks that runs, its rep without any mailbox, by the app's clock. */
export type TaskCampaign = { owner: Caller; repId: string; campaignId: string; prospectIds: string[] }

type Steps = NonNullable<RawInput<'createCampaign'>['steps']>
type People = RawInput<'addProspectsToCampaign'>['data']

export const ada = { firstName: 'Ada', company: 'Analytical', linkedinUrl: 'linkedin.com/in/ada-byron' }

export async function aTaskCampaign(
  app: TestApp,
  steps: Steps,
  people: People = [ada],
  settings: Partial<RawInput<'createCampaign'>> = {},
): Promise<TaskCampaign> {
  const owner = await aCaller(app)
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

/** All that is due now. */
export async function planAll(app: TestApp): Promise<void> {
  while ((await planOnce(app)) > 0) {}
}

export type Task = Output<'getTask'>

/** The tasks of the campaign's account, in the order in which they became due. */
export const tasksOf = async (
  { owner }: Pick<TaskCampaign, 'owner'>,
  filters: RawInput<'listTasks'> = {},
): Promise<Task[]> => (await owner.call('listTasks', { limit: 100, ...filters })).data.reverse()
