import type { RawInput } from '../../../src/contract/index.ts'
import { type Caller, makeCaller, type TestApp } from '../app.ts'

/** An account with a rep and a sandbox mailbox. */
export type Sender = { owner: Caller; repId: string; mailboxId: string }

export type DueCampaign = Sender & { campaignId: string; ids: string[] }

async function makeSender(app: TestApp): Promise<Sender> {
  const owner = await makeCaller(app)
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const { id: repId } = await owner.call('createRep', { name: 'Ada Byron' })
  const mailbox = { repId, kind: 'sandbox', email: 'ada@acme.example' } as const
  const { id: mailboxId } = await owner.call('createMailbox', mailbox)
  await owner.call('verifyMailbox', { mailboxId })
  return { owner, repId, mailboxId }
}

/**
 * Creates an active campaign, in a new account unless `sender` is given. The prospects' steps became due one second
 * apart, the last step one second ago by the app's clock. With `haveBegun`, prospects are active and have the rep's
 * mailbox.
 */
export async function makeDueCampaign(
  app: TestApp,
  people: number,
  sender?: Sender,
  { haveBegun = false, steps = [{ subject: 'Hello', body: 'Hi' }] as Steps } = {},
): Promise<DueCampaign> {
  const { owner, repId, mailboxId } = sender ?? (await makeSender(app))
  const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring', repIds: [repId], steps })
  const data = Array.from({ length: people }, (_, n) => ({ email: `${n}@${campaignId.slice(-12)}.example` }))
  const added = await owner.call('addProspectsToCampaign', { campaignId, data })
  await owner.call('launchCampaign', { campaignId })
  const ids = added.data.map(one => (one as { prospectId: string }).prospectId)
  for (const [n, id] of ids.entries()) {
    const dueAt = new Date(app.now().getTime() + 1_000 * (n - people))
    await app.owner`update prospects set next_step_at = ${dueAt} where id = ${id}`
  }
  if (haveBegun)
    await app.owner`
      update prospects
         set status = 'active', rep_id = ${repId}, mailbox_id = ${mailboxId}, began_at = ${app.now()}
       where id = any(${ids})`
  return { owner, repId, mailboxId, campaignId, ids }
}

type Steps = NonNullable<RawInput<'createCampaign'>['steps']>
