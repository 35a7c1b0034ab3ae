import { join } from 'node:path'
import { eventFamilies } from '../contract/webhooks.ts'
import { createWebhook, rotateWebhookSecret, updateWebhook } from '../server/domain/webhooks/webhooks.ts'
import { type App, inAccount } from '../server/kernel/context.ts'
import type { Json } from '../server/kernel/json.ts'
import { accounts } from './accounts.ts'
import { readKept, writeKept } from './kept-file.ts'
import { accountIdOf, userIdOf } from './teller.ts'
import { asOwner } from './write-account.ts'

export type KeptWebhook = { webhookId: string; secret: string }

const pathIn = (dataDir: string): string => join(dataDir, 'demo-webhook.json')

export const readWebhook = (dataDir: string) => readKept<KeptWebhook>(pathIn(dataDir))

/**
 * Acme has a webhook that leads there; gives its secret, which is told once. One that was removed is made again, one
 * whose secret is lost gets a new one, and each follows a server that listens elsewhere now.
 */
export async function keepWebhook(app: App, dataDir: string, url: string): Promise<string> {
  const kept = await readWebhook(dataDir)
  const accountId = accountIdOf('acme')
  const now = await inAccount(app.db.app, accountId, async tx => {
    const ctx = asOwner(app, tx, accountId, userIdOf(accounts.acme.members[0]![0]))
    const [known] = await tx<{ webhookId: string; url: string }[]>`
      select id as "webhookId", url
        from webhooks
       where account_id = ${accountId} and (id = ${kept?.webhookId ?? null} or url like ${`%${new URL(url).pathname}`})
       order by id = ${kept?.webhookId ?? null} desc nulls last, created_at
       limit 1`
    if (!known) return secretIn(await createWebhook(ctx, { url, ...webhook }))
    const { webhookId } = known
    if (known.url !== url) await updateWebhook(ctx, { webhookId, url, description: webhook.description })
    return webhookId === kept?.webhookId ? kept : secretIn(await rotateWebhookSecret(ctx, { webhookId }))
  })
  if (now !== kept) await writeKept(pathIn(dataDir), now)
  return now.secret
}

const webhook = {
  eventTypes: (Object.keys(eventFamilies) as (keyof typeof eventFamilies)[]).map(
    family => `${family}.*` as const,
  ),
  description: 'Open this address in a browser: it shows what comes, and verifies it',
  isEnabled: true,
}

function secretIn({ text }: Json): KeptWebhook {
  const { id, secret } = JSON.parse(text) as { id: string; secret: string }
  return { webhookId: id, secret }
}
