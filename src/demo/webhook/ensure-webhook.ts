import { join } from 'node:path'
import { eventFamilies } from '../../contract/webhooks.ts'
import { createWebhook, rotateWebhookSecret, updateWebhook } from '../../server/domain/webhooks/webhooks.ts'
import { type App, inAccount } from '../../server/kernel/context.ts'
import type { Json } from '../../server/kernel/json.ts'
import { accounts } from '../data/accounts.ts'
import { readSecretFile, writeSecretFile } from '../secret-file.ts'
import { createOwnerContext } from '../seed/seed-account.ts'
import { getAccountId, getUserId } from '../seed/seed-context.ts'

type StoredWebhook = { webhookId: string; secret: string }

const getPath = (dataDir: string): string => join(dataDir, 'demo-webhook.json')

export const readStoredWebhook = (dataDir: string) => readSecretFile<StoredWebhook>(getPath(dataDir))

/**
 * Ensures that Acme has a webhook to `url` and returns its secret. Recreates a deleted webhook, rotates a secret whose
 * file is lost, and updates the URL when the server's address has changed.
 */
export async function ensureWebhook(app: App, dataDir: string, url: string): Promise<string> {
  const stored = await readStoredWebhook(dataDir)
  const accountId = getAccountId('acme')
  const current = await inAccount(app.db.app, accountId, async tx => {
    const ctx = createOwnerContext(app, tx, accountId, getUserId(accounts.acme.members[0]![0]))
    const [existing] = await tx<{ webhookId: string; url: string }[]>`
      select id as "webhookId", url
        from webhooks
       where account_id = ${accountId}
         and (id = ${stored?.webhookId ?? null} or url like ${`%${new URL(url).pathname}`})
       order by id = ${stored?.webhookId ?? null} desc nulls last, created_at
       limit 1`
    if (!existing) return toStoredWebhook(await createWebhook(ctx, { url, ...settings }))
    const { webhookId } = existing
    if (existing.url !== url) await updateWebhook(ctx, { webhookId, url, description: settings.description })
    return webhookId === stored?.webhookId
      ? stored
      : toStoredWebhook(await rotateWebhookSecret(ctx, { webhookId }))
  })
  if (current !== stored) await writeSecretFile(getPath(dataDir), current)
  return current.secret
}

const settings = {
  eventTypes: (Object.keys(eventFamilies) as (keyof typeof eventFamilies)[]).map(
    family => `${family}.*` as const,
  ),
  description: 'Open this URL in a browser to see the events',
  isEnabled: true,
}

function toStoredWebhook({ text }: Json): StoredWebhook {
  const { id, secret } = JSON.parse(text) as { id: string; secret: string }
  return { webhookId: id, secret }
}
