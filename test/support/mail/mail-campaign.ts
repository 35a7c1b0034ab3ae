import { randomUUIDv7 } from 'node:crypto'
import type { Output, RawInput } from '../../../src/contract/index.ts'
import { SmtpPools } from '../../../src/server/engine/send/smtp-pools.ts'
import { analyzeGrownTables } from '../../../src/server/kernel/db/database.ts'
import { type Caller, makeCaller, type TestApp } from '../app.ts'
import { tick } from '../campaigns/tick.ts'
import { connectToGrant } from './oauth-mail.ts'
import type { OAuthServer } from './oauth-server.ts'

export type MailCampaign = {
  owner: Caller
  campaignId: string
  launch: () => Promise<unknown>
  /** One mailbox for each server, in the order of the servers. */
  mailboxIds: string[]
  emails: string[]
  messages: () => Promise<Output<'listEmailMessages'>['data']>
  prospects: () => Promise<Output<'listProspects'>['data']>
}

const IMPORT_CHUNK = 20_000

/** Creates and launches a campaign; see `makeMailCampaignToLaunch`. */
export async function makeMailCampaign(
  ...given: Parameters<typeof makeMailCampaignToLaunch>
): Promise<MailCampaign> {
  const campaign = await makeMailCampaignToLaunch(...given)
  await campaign.launch()
  return campaign
}

/** A mail server; with `oauth`, the provider whose access tokens its mailbox signs in with. */
export type CampaignServer = { port: number; oauth?: OAuthServer | undefined }

/**
 * Creates a draft campaign in a new account, with a rep and a mailbox for each server. `people` is the number of
 * colleagues to create, or a list of addresses.
 */
export async function makeMailCampaignToLaunch(
  app: TestApp,
  servers: CampaignServer[],
  people: number | readonly string[],
  steps: RawInput<'setCampaignSteps'>['steps'] = [{ subject: 'Hello', body: 'Hi {{ firstName }}' }],
): Promise<MailCampaign> {
  const owner = await makeCaller(app)
  await owner.call('updateAccount', { postalAddress: '12 St James Square', optOutLine: 'Reply stop.' })
  const mailboxIds: string[] = []
  const repIds: string[] = []
  for (const { port, oauth } of servers) {
    const rep = await owner.call('createRep', { name: 'Ada Byron' })
    const email = `ada-${randomUUIDv7()}@acme.example`
    const mailbox = await owner.call('createMailbox', {
      repId: rep.id,
      kind: 'smtp',
      email,
      smtp: { host: '127.0.0.1', port, tls: 'none', ...(oauth && { user: email }) },
    })
    if (oauth)
      await connectToGrant({ app, oauth }, { accountId: owner.accountId, mailboxId: mailbox.id, email })
    await owner.call('verifyMailbox', { mailboxId: mailbox.id })
    repIds.push(rep.id)
    mailboxIds.push(mailbox.id)
  }
  const { id: campaignId } = await owner.call('createCampaign', { name: 'Spring', repIds, steps })
  const tag = randomUUIDv7().slice(-12)
  const emails =
    typeof people === 'number'
      ? Array.from({ length: people }, (_, n) => `person${n}@${tag}.example`)
      : [...people]
  for (let from = 0; from < emails.length; from += IMPORT_CHUNK) {
    const rows = emails.slice(from, from + IMPORT_CHUNK).map((email, n) => `Person${from + n},${email}`)
    await owner.call('importProspects', { campaignId, csv: `First Name,Email\n${rows.join('\n')}` })
  }
  const all = async (name: 'listEmailMessages' | 'listProspects') => {
    const items: unknown[] = []
    for (let cursor: string | undefined, isLast = false; !isLast; ) {
      const page = await owner.call(name, { campaignId, limit: 100, cursor })
      items.push(...page.data)
      cursor = page.next
      isLast = cursor === undefined
    }
    return items as never
  }
  return {
    owner,
    campaignId,
    launch: () => owner.call('launchCampaign', { campaignId }),
    mailboxIds,
    emails,
    messages: () => all('listEmailMessages'),
    prospects: () => all('listProspects'),
  }
}

export type Worker = AsyncDisposable & {
  /** Runs all work due now. */
  work: () => Promise<void>
  /** Advances the clock, then runs all work due. */
  workAfter: (ms: number) => Promise<void>
}

/** Opens an engine that uses the app's clock and works only on request. */
export function openWorker(app: TestApp): Worker {
  const pools = new SmtpPools()
  const work = async () => {
    await analyzeGrownTables(app.db.engine)
    for (let quiet = 0; quiet < 2; ) {
      const started = await tick(app, pools)
      await Promise.all(started.map(({ done }) => done))
      quiet = started.length === 0 ? quiet + 1 : 0
    }
  }
  return {
    work,
    workAfter: ms => {
      app.setNow(new Date(app.now().getTime() + ms))
      return work()
    },
    [Symbol.asyncDispose]: () => pools[Symbol.asyncDispose](),
  }
}

/** Returns the address in a MAIL or RCPT command. */
export const parseEnvelopeAddress = (line: string): string => /<([^>]*)>/.exec(line)?.[1] ?? ''
