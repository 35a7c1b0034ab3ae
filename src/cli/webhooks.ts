import { type Command, Option } from 'commander'
import type { Output, RawInput } from '../contract/index.ts'
import { webhookDeliveryStatuses } from '../contract/webhooks.ts'
import type { Context } from '../server/kernel/context.ts'
import { accountOption, parseCount, parseId, parseInstant } from './arguments.ts'
import { call, findAccount, listAll, openContext } from './context.ts'
import { withInstallation } from './open.ts'
import { type Output as CommandOutput, formatQuantity, formatTable } from './output.ts'
import { UsageError } from './usage-error.ts'

type Webhook = Output<'getWebhook'>
type Delivery = Output<'testWebhook'>
type Options = { account?: string }

const MAX_PAGE_SIZE = 100

export function addWebhookCommands(program: Command): void {
  const webhooks = program.command('webhook').description('Manage webhooks')
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
    .description('List webhooks with their state, newest first')
    .addOption(accountOption())
    .action(
      withInstallation<Options>(async ({ app, output, options }) => {
        const ctx = await openContext(app, await findAccount(app, options.account))
        const webhooks = await Array.fromAsync(listAll(ctx, 'listWebhooks'))
        output.result(webhooks, () => formatTable(webhooks.map(toRow), 'No webhooks found.'))
      }),
    )
}

function addCreate(webhooks: Command): void {
  webhooks
    .command('create')
    .description('Create a webhook and print its signing secret, which is shown only once')
    .argument('<url>', 'HTTPS URL that receives events')
    .requiredOption('--events <type...>', 'Events to send; prospect.* includes all prospect events')
    .option('--description <text>', 'Description')
    .addOption(accountOption())
    .addHelpText(
      'after',
      `
docs/webhooks.md lists all events and shows how to verify signatures.

Example:
  $ overture webhook create https://crm.acme.example/overture --events 'prospect.*' email.received --account Acme`,
    )
    .action(
      withInstallation<Options & { events: string[]; description?: string }>(
        async ({ app, output, options: { account, events, description }, args: [url = ''] }) => {
          const ctx = await openContext(app, await findAccount(app, account))
          const eventTypes = events as RawInput<'createWebhook'>['eventTypes']
          const webhook = await call(ctx, 'createWebhook', { url, eventTypes, description })
          output.result(
            webhook,
            ({ id, secret }) => `Created webhook ${url} (${id}). Signing secret:\n${secret}`,
          )
        },
      ),
    )
}

function addTest(webhooks: Command): void {
  addCommand(webhooks, 'test', 'Send a webhook.test event')
    .addHelpText(
      'after',
      `
A running server sends the event; \`overture webhook deliveries\` shows the result.

Example:
  $ overture webhook test https://crm.acme.example/overture --account Acme`,
    )
    .action(
      withWebhook(async (ctx, { id: webhookId, url }, { output }) => {
        const delivery = await call(ctx, 'testWebhook', { webhookId })
        output.result(delivery, () => `Queued a test event for ${url}.`)
      }),
    )
}

function addDeliveries(webhooks: Command): void {
  addCommand(webhooks, 'deliveries', 'List deliveries of a webhook, newest first')
    .addOption(
      new Option('--status <status>', 'Only deliveries with this status').choices([
        ...webhookDeliveryStatuses,
      ]),
    )
    .option('--limit <n>', `Number of deliveries, at most ${MAX_PAGE_SIZE}`, parseCount, 20)
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
          output.result(data, () => formatTable(data.map(toDeliveryRow), 'No deliveries found.'))
        },
      ),
    )
}

function addReplay(webhooks: Command): void {
  addCommand(webhooks, 'replay', 'Send events again: one delivery, all failed ones, or all since a time')
    .option('--delivery <id>', 'ID of the delivery (see `webhook deliveries`)', parseId)
    .option('--failed', 'All failed deliveries')
    .option(
      '--since <when>',
      'All deliveries since a date (2026-11-20, UTC) or time (2026-11-20T08:00:00Z)',
      parseInstant,
    )
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
            throw new UsageError('Use exactly one of --delivery, --failed and --since.')
          const result = await call(ctx, 'replayWebhook', { webhookId, deliveryId, failed, since })
          output.result(
            result,
            ({ replayed }) => `Queued ${formatQuantity(replayed, 'delivery', 'deliveries')}.`,
          )
        },
      ),
    )
}

function addRotateSecret(webhooks: Command): void {
  addCommand(
    webhooks,
    'rotate-secret',
    'Create a new signing secret and print it; the old one keeps signing for 24 hours',
  ).action(
    withWebhook(async (ctx, { id: webhookId }, { output }) =>
      output.result(await call(ctx, 'rotateWebhookSecret', { webhookId }), ({ secret }) => secret),
    ),
  )
}

function addDelete(webhooks: Command): void {
  addCommand(webhooks, 'delete', 'Delete a webhook and drop its pending deliveries').action(
    withWebhook(async (ctx, { id: webhookId, url }, { output }) =>
      output.result(
        await call(ctx, 'deleteWebhook', { webhookId }),
        () => `Deleted webhook ${url} (${webhookId}).`,
      ),
    ),
  )
}

/** Adds a command that takes a webhook of an account. */
const addCommand = (webhooks: Command, name: string, description: string): Command =>
  webhooks
    .command(name)
    .description(description)
    .argument('<webhook>', 'URL or ID of the webhook')
    .addOption(accountOption())

type WebhookAction<O> = (
  ctx: Context,
  webhook: Webhook,
  input: { output: CommandOutput; options: O },
) => Promise<void>

const withWebhook = <O extends object = object>(run: WebhookAction<O>) =>
  withInstallation<Options & O>(async ({ app, output, options, args: [urlOrId = ''] }) => {
    const ctx = await openContext(app, await findAccount(app, options.account))
    const webhooks = await Array.fromAsync(listAll(ctx, 'listWebhooks'))
    const [webhook, another] = webhooks.filter(({ id, url }) => id === urlOrId || url === urlOrId)
    if (!webhook)
      throw new UsageError(`No webhook found for "${urlOrId}". List webhooks with \`overture webhook list\`.`)
    if (another) throw new UsageError(`Several webhooks have the URL ${urlOrId}. Use the ID instead.`)
    await run(ctx, webhook, { output, options })
  })

const toRow = (webhook: Webhook) => ({
  id: webhook.id,
  url: webhook.url,
  events: webhook.eventTypes.join(' '),
  state: describeState(webhook),
  'last delivered': webhook.lastDeliveredAt ?? 'never',
})

function describeState({ isEnabled, disabledReason, failures, lastError }: Webhook): string {
  if (!isEnabled) return `disabled${disabledReason ? `, ${disabledReason}` : ''}`
  return failures === 0 ? 'enabled' : `failed ${formatQuantity(failures, 'time')}: ${lastError}`
}

const toDeliveryRow = ({ id, eventType, status, attempts, ...delivery }: Delivery) => ({
  id,
  event: eventType,
  created: delivery.createdAt,
  status,
  attempts,
  response: delivery.responseStatus,
  'next attempt': delivery.nextAttemptAt,
  error: delivery.error,
})
