import type { Output, RawInput } from '../../../src/contract/index.ts'
import { advanceCall } from '../../../src/server/domain/calls/advance-call.ts'
import { claimDueCalls } from '../../../src/server/domain/calls/claim-calls.ts'
import { type Caller, makeCaller, type TestApp } from '../app.ts'
import { planAll } from '../campaigns/task-campaign.ts'
import { makeConsent } from './consents.ts'
import { httpCallbackSecret, httpKey } from './http-voice-server.ts'
import type { DialedCall, VoiceServer } from './voice-server.ts'

type Steps = NonNullable<RawInput<'createCampaign'>['steps']>
export type CallStep = NonNullable<Steps[number]['call']>

/** An active campaign whose assistant calls through a fake voice provider. */
export type CallCampaign = { owner: Caller; assistantId: string; campaignId: string; prospectIds: string[] }

let lastNumber = 1000
export const makeNumber = () => `+44207946${++lastNumber}`
export const makeAda = () => ({
  firstName: 'Ada',
  email: `ada-${++lastNumber}@acme.example`,
  phone: makeNumber(),
})

/** Creates a campaign whose people have consented to calls. `steps` gets the assistant's ID; defaults to one call. */
export async function makeCallCampaign(
  app: TestApp,
  voice: VoiceServer,
  {
    steps = assistantId => [{ channel: 'call', call: { assistantId } }],
    people = [makeAda()],
    ...settings
  }: {
    steps?: (assistantId: string) => Steps
    people?: ReturnType<typeof makeAda>[]
  } & Partial<Omit<RawInput<'createCampaign'>, 'steps'>> = {},
): Promise<CallCampaign> {
  const owner = await makeCaller(app)
  const { id: repId } = await owner.call('createRep', { name: 'Grace Hopper' })
  const { id: assistantId } = await owner.call('createAssistant', {
    ...{ name: 'Front desk', fromNumber: '+442079460018', provider: 'http', dailyCap: 10_000 },
    ...{ http: { baseUrl: voice.url }, apiKey: httpKey, callbackSecret: httpCallbackSecret },
  })
  for (const { phone } of people) await makeConsent(owner, phone)
  const { id: campaignId } = await owner.call('createCampaign', {
    ...{ name: 'Spring', repIds: [repId], steps: steps(assistantId) },
    ...settings,
  })
  const { data } = await owner.call('addProspectsToCampaign', { campaignId, data: people })
  await owner.call('launchCampaign', { campaignId })
  return { owner, assistantId, campaignId, prospectIds: data.map(({ prospectId }) => prospectId!) }
}

/** Runs all call work due now: plans steps, dials, and polls calls. */
export async function callAll(app: TestApp): Promise<void> {
  for (;;) {
    await planAll(app)
    const claims = await claimDueCalls(app.db.engine, { now: app.now(), limit: 100 })
    if (claims.length === 0) return
    for (const claim of claims) await advanceCall(app, claim)
  }
}

/** Returns the prospect's calls, oldest first. */
export const listProspectCalls = async (
  { owner }: Pick<CallCampaign, 'owner'>,
  prospectId: string,
): Promise<Output<'getCall'>[]> => (await owner.call('listCalls', { prospectId, limit: 100 })).data.reverse()

/** Returns dial requests to the provider for these calls. */
export const listDialed = (voice: VoiceServer, calls: { id: string }[]): DialedCall[] =>
  voice.calls.filter(({ reference }) => calls.some(({ id }) => id === reference))
