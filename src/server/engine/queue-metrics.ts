import { Gauge } from 'prom-client'
import { openStatuses } from '../domain/prospects/write-prospects.ts'
import type { App } from '../kernel/context.ts'
import type { Sql } from '../kernel/db/database.ts'

/** Queues are counted up to this size, so that a scrape stays cheap. */
const MAX_COUNT = 100_000

type Sample = { label: string; value: number }

/**
 * Registers gauges of the queues in the database: messages, steps, webhook events and mailbox syncs. They are read on
 * each scrape, and every engine on the database reports the same values: aggregate with max, not sum.
 */
export function registerQueueMetrics({ metrics, db, now }: App): void {
  const register = (
    { name, help, label }: { name: string; help: string; label?: string },
    read: (engine: Sql, now: Date) => Promise<Sample[]>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [metrics.registry],
      async collect() {
        const samples = await read(db.engine, now())
        this.reset()
        for (const { label: labelValue, value } of samples)
          this.set(label ? { [label]: labelValue } : {}, value)
      },
    })
  register(
    {
      name: 'overture_queue_messages',
      help: `Messages in the queue, counted up to ${MAX_COUNT}`,
      label: 'state',
    },
    countMessages,
  )
  register(
    {
      name: 'overture_queue_lag_seconds',
      help: 'How long the most overdue message has been due, in seconds',
    },
    readMessageLag,
  )
  register(
    {
      name: 'overture_prospects_lag_seconds',
      help: 'How long the most overdue step has waited to be planned, in seconds',
    },
    readProspectLag,
  )
  register(
    {
      name: 'overture_mailbox_syncs',
      help: 'Mailboxes that are synced over IMAP, by status',
      label: 'status',
    },
    countSyncs,
  )
  register(
    {
      name: 'overture_inbox_age_seconds',
      help: 'Seconds since the last full sync of the mailbox that was synced least recently',
    },
    readInboxAge,
  )
  register(
    {
      name: 'overture_webhooks_lag_seconds',
      help: 'How long the most overdue webhook event has been due, in seconds',
    },
    readWebhookLag,
  )
}

const countMessages = (engine: Sql) => engine<Sample[]>`
  select state as label, count(*)::float8 as value
    from (select state from email_sends where state in ('queued', 'claimed', 'dot_pending') limit ${MAX_COUNT}) waiting
   group by state`

const readMessageLag = (engine: Sql, now: Date) => engine<Sample[]>`
  select '' as label, extract(epoch from greatest('0', ${now}::timestamptz - min(due_at)))::float8 as value
    from email_sends
   where state in ('queued', 'claimed', 'dot_pending')
  having count(*) > 0`

const readProspectLag = (engine: Sql, now: Date) => engine<Sample[]>`
  select '' as label, extract(epoch from greatest('0', ${now}::timestamptz - min(r.next_step_at)))::float8 as value
    from campaigns c
   cross join lateral (
     select next_step_at
       from prospects
      where account_id = c.account_id and campaign_id = c.id and status in ${openStatuses(engine)}
        and next_step_at is not null
      order by next_step_at
      limit 1) r
   where c.status = 'active'
  having count(*) > 0`

const countSyncs = (engine: Sql) => engine<Sample[]>`
  select status as label, count(*)::float8 as value from mailbox_syncs group by status`

const readInboxAge = (engine: Sql, now: Date) => engine<Sample[]>`
  select '' as label, extract(epoch from ${now}::timestamptz - min(coalesce(last_synced_at, created_at)))::float8 as value
    from mailbox_syncs
  having count(*) > 0`

const readWebhookLag = (engine: Sql, now: Date) => engine<Sample[]>`
  select '' as label, extract(epoch from ${now}::timestamptz - min(greatest(d.due_at, d.created_at)))::float8 as value
    from webhooks w
   cross join lateral (
     select due_at, created_at
       from webhook_deliveries
      where account_id = w.account_id and webhook_id = w.id and status = 'pending' and due_at <= ${now}
      order by due_at
      limit 1) d
   where w.is_enabled
  having count(*) > 0`
