import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { Installation } from '../server/installation.ts'
import { inAccount } from '../server/kernel/context.ts'
import type { Sql } from '../server/kernel/db/database.ts'
import type { Running } from '../server/main.ts'
import { accounts } from './accounts.ts'
import { openAnsweringPeople } from './answering-people.ts'
import { trialKey } from './campaigns.ts'
import { type DemoFacts, greeting } from './greeting.ts'
import { connectRecordings, mountRecordings } from './recordings.ts'
import { writeSignIn } from './sign-in.ts'
import { accountIdOf, openTeller } from './teller.ts'
import { keepTokens } from './tokens.ts'
import { openCatcher } from './webhook-catcher.ts'
import { writeAccount } from './write-account.ts'

/** What one needs to know to look at the demo, and the text that says so. */
export type Demo = {
  facts: DemoFacts
  greet: (url: string) => string
  /** What it serves of its own, beside the product. */
  mount: (server: FastifyInstance) => Promise<void>
  /** From now on a webhook tells what happens and its people answer, until it is disposed of. */
  begin: (running: Running) => Promise<AsyncDisposable | undefined>
}

const FIRST_EMAIL_AFTER_MS = 3_000
const BETWEEN_EMAILS_MS = 7_000
/** As long as the engine waits itself, after some tries. */
const SIGN_IN_AFTER_MS = 6 * 3_600_000

/**
 * Fills an installation of its own with two accounts and their past; what an earlier start wrote stays, and what it
 * could not finish is finished. Call it before the server starts.
 */
export async function openDemo({ app, dataDir }: Installation): Promise<Demo> {
  await writeSignIn(app.db.auth)
  const [tokens, catcher] = await Promise.all([
    keepTokens(app.db.auth, dataDir),
    openCatcher(dataDir),
    writeAccount(app, 'acme'),
    writeAccount(app, 'globex'),
  ])
  const acmeId = accountIdOf('acme')
  const trialCampaignId = openTeller('acme', app.now()).id('campaign', trialKey)
  const due = await inAccount(app.db.app, acmeId, async tx => {
    await putOffSignIns(tx, app.now())
    return spreadDue(tx, trialCampaignId, app.now())
  })
  const facts: DemoFacts = { tokens, accountId: acmeId, campaignId: trialCampaignId, peopleDue: due.count }
  return {
    facts,
    greet: url => greeting(facts, url, dataDir),
    mount: async server => {
      await catcher.mount(server)
      await mountRecordings(server)
    },
    begin: async ({ app, url }) => {
      if (!url) return undefined
      await catcher.connect(app)
      await connectRecordings(app)
      return openAnsweringPeople(app, { url, sandboxDir: join(dataDir, 'sandbox') })
    },
  }
}

/** To mailboxes whose server refuses them: signing in would find that there is no such server. */
const putOffSignIns = (tx: Sql, now: Date) => tx`
  update mailboxes
     set retry_at = ${new Date(now.getTime() + SIGN_IN_AFTER_MS)}
   where account_id = current_account_id() and status = 'failing'
     and email = any(${accounts.acme.reps.flatMap(({ email, mailboxFault }) => (mailboxFault ? [email] : []))})`

/** Whoever is still to be written to, one after the other from now on, in no order of the address book. */
const spreadDue = (tx: Sql, campaignId: string, now: Date) => tx`
  update prospects p
     set next_step_at = ${new Date(now.getTime() + FIRST_EMAIL_AFTER_MS)}::timestamptz
                        + due.place * ${BETWEEN_EMAILS_MS} * interval '1 millisecond'
    from (select id, row_number() over (order by id) - 1 as place
            from prospects
           where account_id = current_account_id() and campaign_id = ${campaignId} and next_step_at is not null
             and status in ('pending', 'active')) due
   where p.account_id = current_account_id() and p.id = due.id`
