import type { TestApp } from '../app.ts'
import type { TemplateDatabase } from '../db/database.ts'
import { openTestServer } from '../http/server.ts'
import { addressIn, openWorker, type Worker } from '../mail/mail-campaign.ts'
import { ScriptedSmtp, type Transfer } from '../mail/scripted-smtp.ts'

export type World = {
  app: TestApp
  url: string
  worker: Worker
  server: ScriptedSmtp
  /** Returns the emails that an address has received. */
  findTransfers: (address: string) => readonly Transfer[]
}

/** Opens a server, an engine and a mail server for simulated histories. */
export async function openHistoryWorld(place?: TemplateDatabase): Promise<World & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { app, url } = opened.use(
    await openTestServer(
      { ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
      undefined,
      place && { ...place, maxConnections: 2 },
    ),
  )
  // In a new database most of the time would go into planning: few connections, and those opened from here on keep plans.
  const [{ name }] = await app.owner<[{ name: string }]>`select current_database() as name`
  await app.owner`alter database ${app.owner.identifier(name)} set plan_cache_mode = 'force_generic_plan'`
  // The mailboxes of these prospects don't exist.
  const server = opened.use(
    await ScriptedSmtp.open((step, line) =>
      step === 'RCPT' && line.includes('<gone@') ? '550 5.1.1 no such user' : undefined,
    ),
  )
  const worker = opened.use(openWorker(app))
  const all = opened.move()
  const received = new Map<string, Transfer[]>()
  return {
    ...{ app, url, worker, server },
    findTransfers: address => {
      for (const transfer of server.transfers.splice(0)) {
        const to = addressIn(transfer.envelope.find(line => /^RCPT/i.test(line)) ?? '')
        received.set(to, [...(received.get(to) ?? []), transfer])
      }
      return (received.get(address) ?? []).filter(({ isComplete }) => isComplete)
    },
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
