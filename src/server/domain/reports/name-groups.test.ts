import { afterAll, beforeAll, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../test/support/app.ts'
import type { Output, RawInput } from '../../../contract/index.ts'
import { nameGroups } from './name-groups.ts'

type Step = Output<'getCampaign'>['steps'][number]
type Variant = NonNullable<Step['variants']>[number]

let app: TestApp
beforeAll(async () => {
  app = await openTestApp()
})
afterAll(() => app[Symbol.asyncDispose]())

it('a variant that was removed from its step does not share its name with the variant that now has its letter', async () => {
  const owner = await makeCaller(app)
  const variants = ['A', 'B'].map(name => ({ subject: name, body: name }))
  const { id: campaignId, steps } = await owner.call('createCampaign', {
    name: 'Spring',
    steps: [{ channel: 'linkedin_view' }, { variants }],
  })
  await app.owner`update campaigns set status = 'active', launched_at = now() where id = ${campaignId}`
  const [visit, email] = steps as [Step, Step]
  const [first, second] = email.variants as [Variant, Variant]
  const ids = [first.id, second.id]
  const getNames = async () => {
    const names = await nameGroups(owner.context, 'variant', ids)
    return ids.map(id => names.get(id)?.name)
  }
  const keep = (...kept: RawInput<'setCampaignSteps'>['steps']) =>
    owner.call('setCampaignSteps', {
      campaignId,
      steps: [{ id: visit.id, channel: 'linkedin_view' }, ...kept],
    })
  await keep({ id: email.id, variants: [second] })
  expect(await getNames()).toEqual(['Spring, step 2, removed variant', 'Spring, step 2, variant A'])
  await keep()
  expect(await getNames()).toEqual([
    'Spring, removed step, removed variant',
    'Spring, removed step, variant A',
  ])
})
