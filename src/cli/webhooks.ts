import { type Command, Option } from 'commander'
import type { Output, RawInput } from '../contract/index.ts'
import { webhookDeliveryStatuses } from '../contract/webhooks.ts'
import type { Context } from '../server/kernel/context.ts'
import { accountOption, readCount, readId, readInstant } from './arguments.ts'
import { call, chooseAccount, contextIn, listAll } from './context.ts'
import { withInstallation } from './open.ts'
import { table } from './output.ts'
import { UsageError } from './usage-error.ts'

type Webhook = Output<'getWebhook'>
type Delivery = Output<'testWebhook'>
type Options = { account?: string }

const LARGEST_PAGE = 100

export function addWebhookCommands(program: Command): void {
  const webhooks = program
    .command('webhook')
    .alias('webhooks')
    .description('addresses that events of an account are posted to')
  addList(webhooks)
  addCreate(webhooks)
  addTest(webhooks)
  addDeliveries(webhooks)
  addReplay(webhooks)
  addRotateSecret(webhooks)
  addDelete(webhooks)
}

function addList(webhooks: Command): void {
  webhooks
    .command('list')
    .description('list webhooks with their health, newest first')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await contextIn(app, await chooseAccount(app, options.account))
        const found = await Array.fromAsync(listAll(ctx, 'listWebhooks'))
        output.result(found, () => table(found.map(toRow), 'There are no webhooks.'))
      }),
    )
}

function addCreate(webhooks: Command): void {
  webhooks
    .command('create')
    .description('add a webhook; the secret that signs what is posted is shown this once')
    .argument('<url>', 'where events are posted to, with https')
    .requiredOption('--events <type...>', 'which events; prospect.* stands for all of a family')
    .option('--description <text>', 'what it is for')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
docs/webhooks.md lists the events and shows how to verify them.

Example:
  $ overture webhook create https://crm.acme.example/overture --events 'prospect.*' email.received --account Acme`,
    )
    .action(
      withInstallation<Options & { events: string[]; description?: string }>(
        async ({ app, output, options: { account, events, description }, args: [url = ''] }) => {
          const ctx = await contextIn(app, await chooseAccount(app, account))
          const eventTypes = events as RawInput<'createWebhook'>['eventTypes']
          const made = await call(ctx, 'createWebhook', { url, eventTypes, description })
          output.result(made, ({ id, secret }) => `Added ${url} (${id}). Its secret:\n${secret}`)
        },
      ),
    )
}

function addTest(webhooks: Command): void {
  one(webhooks, 'test', 'post an event of the type webhook.test')
    .addHelpText(
      'after',
      `
A server that runs posts it; \`overture webhook deliveries\` tells what came of it.

Example:
  $ overture webhook test https://crm.acme.example/overture --account Acme`,
    )
    .action(
      withWebhook(async (ctx, { id: webhookId, url }, { output }) => {
        const delivery = await call(ctx, 'testWebhook', { webhookId })
        output.result(delivery, () => `A test event is on its way to ${url}.`)
      }),
    )
}

function addDeliveries(webhooks: Command): void {
  one(webhooks, 'deliveries', 'list what was posted to a webhook, newest first')
    .addOption(new Option('--status <status>', 'only those').choices([...webhookDeliveryStatuses]))
    .option('--limit <n>', `how many, ${LARGEST_PAGE} at most`, readCount, 20)
    .addHelpText(
      'after',
      `
Example:
  $ overture webhook deliveries https://crm.acme.example/overture --status failed --limit 50`,
    )
    .action(
      withWebhook<{ status?: Delivery['status']; limit: number }>(
        async (ctx, { id: webhookId }, { output, options: { status, limit } }) => {
          const { data } = await call(ctx, 'listWebhookDeliveries', { webhookId, status, limit })
          output.result(data, () => table(data.map(deliveryRow), 'There are no deliveries.'))
        },
      ),
    )
}

function addReplay(webhooks: Command): void {
  one(webhooks, 'replay', 'post events again: one delivery, all that failed, or all since a time')
    .option('--delivery <id>', 'id as `webhook deliveries` shows it', readId)
    .option('--failed', 'all that failed')
    .option('--since <when>', 'all since then, as 2026-11-20 (UTC) or 2026-11-20T08:00:00Z', readInstant)
    .addHelpText(
      'after',
      `
Examples:
  $ overture webhook replay https://crm.acme.example/overture --failed
  $ overture webhook replay https://crm.acme.example/overture --since 2026-11-20`,
    )
    .action(
      withWebhook<{ delivery?: string; failed?: true; since?: string }>(
        async (ctx, { id: webhookId }, { output, options: { delivery: deliveryId, failed, since } }) => {
          if ([deliveryId, failed, since].filter(Boolean).length !== 1)
            throw new UsageError('Give one of --delivery, --failed and --since.')
          const done = await call(ctx, 'replayWebhook', { webhookId, deliveryId, failed, since })
          output.result(done, ({ replayed }) => `${replayed} are on their way again.`)
        },
      ),
    )
}

function addRotateSecret(webhooks: Command): void {
  one(webhooks, 'rotate-secret', 'print a new secret, alone; for 24 hours the former one signs, too').action(
    withWebhook(async (ctx, { id: webhookId }, { output }) =>
      output.result(await call(ctx, 'rotateWebhookSecret', { webhookId }), ({ secret }) => secret),
    ),
  )
}

function addDelete(webhooks: Command): void {
  one(webhooks, 'delete', 'remove a webhook; what is on its way to it is given up').action(
    withWebhook(async (ctx, { id: webhookId, url }, { output }) =>
      output.result(await call(ctx, 'deleteWebhook', { webhookId }), () => `Removed ${url} (${webhookId}).`),
    ),
  )
}

/** A command about a webhook of an account. */
const one = (webhooks: Command, name: string, description: string): Command =>
  webhooks
    .command(name)
    .description(description)
    .argument('<webhook>', 'its address or id')
    .addOption(accountOption())

type WithWebhook<O> = (
  ctx: Context,
  webhook: Webhook,
  given: { output: import('./output.ts').Output; options: O },
) => Promise<void>

const withWebhook = <O extends object = object>(work: WithWebhook<O>) =>
  withInstallation<Options & O>(async ({ app, output, options, args: [name = ''] }) => {
    const ctx = await contextIn(app, await chooseAccount(app, options.account))
    const known = await Array.fromAsync(listAll(ctx, 'listWebhooks'))
    const [webhook, another] = known.filter(({ id, url }) => id === name || url === name)
    if (!webhook) throw new UsageError(`No webhook leads to ${name}; \`overture webhook list\` shows them.`)
    if (another) throw new UsageError(`Several webhooks lead to ${name}. Give the id.`)
    await work(ctx, webhook, { output, options })
  })

const toRow = (webhook: Webhook) => ({
  id: webhook.id,
  address: webhook.url,
  events: webhook.eventTypes.join(' '),
  state: stateOf(webhook),
  'last delivered at': webhook.lastDeliveredAt ?? 'never',
})

function stateOf({ isEnabled, disabledReason, failures, lastError }: Webhook): string {
  if (!isEnabled) return `off${disabledReason ? `, ${disabledReason}` : ''}`
  return failures === 0 ? 'on' : `failed ${failures} times: ${lastError}`
}

const deliveryRow = ({ id, eventType, status, attempts, ...delivery }: Delivery) => ({
  id,
  event: eventType,
  'made at': delivery.createdAt,
  status,
  attempts,
  answer: delivery.responseStatus,
  'next at': delivery.nextAttemptAt,
  error: delivery.error,
})
