import type { TemplateDatabase } from '../db/database.ts'
import { openTestServer } from '../http/server.ts'
import { openWorker } from '../mail/mail-campaign.ts'
import { ScriptedSmtp } from '../mail/scripted-smtp.ts'
import type { World } from './history.ts'

/** Opens a server, an engine and a mail server for simulated histories. */
export async function openHistoryWorld(place?: TemplateDatabase): Promise<World & AsyncDisposable> {
  await using opened = new AsyncDisposableStack()
  const { app, url } = opened.use(
    await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' }, undefined, place),
  )
  const server = opened.use(await ScriptedSmtp.open())
  const worker = opened.use(openWorker(app))
  const all = opened.move()
  return { app, url, worker, server, [Symbol.asyncDispose]: () => all.disposeAsync() }
}
