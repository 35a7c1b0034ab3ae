import { createSemaphore } from '../../../src/server/kernel/async/semaphore.ts'
import type { TestApp } from '../app.ts'
import type { TemplateDatabase } from '../db/database.ts'
import { openTestServer } from '../http/server.ts'
import { UnipileServer } from '../linkedin/unipile-server.ts'
import { openWorker, parseEnvelopeAddress, type Worker } from '../mail/mail-campaign.ts'
import { ScriptedSmtp, type Transfer } from '../mail/scripted-smtp.ts'

export type World = {
  app: TestApp
  worker: Worker
  server: ScriptedSmtp
  unipile: UnipileServer
  /** Returns the emails that the mail server received from a mailbox. */
  listTransfers: (from: string) => readonly Transfer[]
  /** Posts to a URL of Overture and returns the JSON response. */
  post: (url: string, body: Uint8Array | string, headers?: Record<string, string>) => Promise<InboundResult>
}

/** The response to a received email or event. */
export type InboundResult = { outcome?: string; kind?: string; messageId?: string }

/** Overture rejects incoming emails when many more than this arrive at once. */
const MAX_REQUESTS = 8

/** Opens Overture's server and engine, a mail server and a LinkedIn provider for simulated histories. */
export async function openHistoryWorld(template?: TemplateDatabase): Promise<World & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { app, url } = opened.use(
    await openTestServer(
      { ALLOW_PRIVATE_HOSTS: '127.0.0.1' },
      undefined,
      template && { ...template, maxConnections: 2 },
    ),
  )
  // In a new database, query planning would take most of the time, so connections opened from now on reuse generic
  // plans.
  const [{ name }] = await app.owner<[{ name: string }]>`select current_database() as name`
  await app.owner`alter database ${app.owner.identifier(name)} set plan_cache_mode = 'force_generic_plan'`
  // Mailboxes whose names begin with `gone` don't exist.
  const server = opened.use(
    await ScriptedSmtp.open((step, line) =>
      step === 'RCPT' && line.includes('<gone') ? '550 5.1.1 no such user' : undefined,
    ),
  )
  const unipile = opened.use(await UnipileServer.open())
  const worker = opened.use(openWorker(app))
  const all = opened.move()
  const received = new Map<string, Transfer[]>()
  const limit = createSemaphore(MAX_REQUESTS)
  return {
    ...{ app, worker, server, unipile },
    listTransfers: address => {
      for (const transfer of server.transfers.splice(0).filter(({ isComplete }) => isComplete)) {
        const from = parseEnvelopeAddress(transfer.envelope[0]!)
        received.set(from, [...(received.get(from) ?? []), transfer])
      }
      return received.get(address) ?? []
    },
    post: (target, body, headers = {}) =>
      limit(async () => {
        const response = await fetch(url + new URL(target).pathname, {
          ...{ method: 'POST', headers, body: body as BodyInit, signal: AbortSignal.timeout(60_000) },
        })
        const text = await response.text()
        if (!response.ok) throw new Error(`POST ${target}: ${response.status} ${text}`)
        return response.headers.get('content-type')?.includes('json') ? JSON.parse(text) : {}
      }),
    [Symbol.asyncDispose]: () => all.disposeAsync(),
  }
}
