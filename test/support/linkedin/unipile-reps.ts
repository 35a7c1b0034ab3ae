import type { Output, RawInput } from '../../../src/contract/index.ts'
import { claimLinkedinSends } from '../../../src/server/domain/linkedin/sends.ts'
import { sendLinkedin } from '../../../src/server/engine/send/send-linkedin.ts'
import type { TestApp } from '../app.ts'
import { planAll, type TaskCampaign } from '../campaigns/task-campaign.ts'
import { toMemberId, type UnipileServer } from './unipile-server.ts'

/** Connects the campaign's rep to Unipile. */
export const connectUnipile = (
  { owner, repId }: Pick<TaskCampaign, 'owner' | 'repId'>,
  unipile: UnipileServer,
  more: Partial<RawInput<'createLinkedinAccount'>> = {},
): Promise<Output<'createLinkedinAccount'>> =>
  owner.call('createLinkedinAccount', {
    ...{ repId, provider: 'unipile', baseUrl: unipile.url },
    ...{ apiKey: unipile.apiKey, providerAccountId: unipile.accountId },
    ...more,
  })

/** Adds this many people to the campaign, all of them members at Unipile. */
export async function addMembers(
  app: TestApp,
  { owner, campaignId }: TaskCampaign,
  unipile: UnipileServer,
  count: number,
): Promise<void> {
  const people = Array.from({ length: count }, (_, n) => unipile.members.length + n).map(n => ({
    memberId: toMemberId(n),
    publicIdentifier: `someone-${n}`,
  }))
  unipile.members.push(...people)
  const data = people.map(each => ({ linkedinUrl: `linkedin.com/in/${each.publicIdentifier}` }))
  for (let from = 0; from < count; from += 20)
    await owner.call('addProspectsToCampaign', { campaignId, data: data.slice(from, from + 20) })
  await planAll(app)
}

/** Sends the messages that become due by this time, each at its due time. */
export async function sendLinkedinInTurn(app: TestApp, until: Date): Promise<void> {
  for (;;) {
    const [next] = await app.owner<{ dueAt: Date | null }[]>`
      select min(due_at) as "dueAt" from linkedin_sends where state in ('queued', 'claimed')`
    if (!next?.dueAt || next.dueAt > until) return app.setNow(until)
    await sendLinkedinUntil(app, next.dueAt > app.now() ? next.dueAt : app.now())
  }
}

/** Sets the clock and sends all messages due by then. */
export async function sendLinkedinUntil(app: TestApp, now: Date): Promise<void> {
  app.setNow(now)
  for (;;) {
    const claims = await claimLinkedinSends(app.db.engine, { now, limit: 20 })
    if (claims.length === 0) return
    for (const claim of claims) await sendLinkedin(app, claim)
  }
}
