import { Gauge } from 'prom-client'
import { isOpen } from '../domain/prospects/write-prospects.ts'
import type { App } from '../kernel/context.ts'
import type { Sql } from '../kernel/db/database.ts'

/** A queue is counted up to here, so that looking at it stays cheap. */
const MOST = 100_000

type Figure = { label: string; value: number }

/**
 * What waits, read from the database whenever Prometheus asks. Every engine on one database tells the same of it: take
 * the maximum, not the sum.
 */
export function watchQueues({ metrics, db, now }: App): void {
  const watch = (
    { name, help, label }: { name: string; help: string; label?: string },
    read: (engine: Sql, now: Date) => Promise<Figure[]>,
  ) =>
    new Gauge({
      name,
      help,
      labelNames: label ? [label] : [],
      registers: [metrics.registry],
      async collect() {
        const figures = await read(db.engine, now())
        this.reset()
        for (const { label: of, value } of figures) this.set(label ? { [label]: of } : {}, value)
      },
    })
  watch(
    { name: 'overture_queue_messages', help: `Messages on their way, ${MOST} at most`, label: 'state' },
    countMessages,
  )
  watch({ name: 'overture_queue_lag_seconds', help: 'Age of the message that is due longest' }, messageLag)
  watch(
    {
      name: 'overture_prospects_lag_seconds',
      help: 'How long the step that is due longest waits to be planned',
    },
    prospectLag,
  )
  watch(
    { name: 'overture_mailboxes_read', help: 'Mailboxes whose replies are read', label: 'status' },
    countSyncs,
  )
  watch(
    { name: 'overture_inbox_age_seconds', help: 'Since every folder of the stalest mailbox was looked at' },
    inboxAge,
  )
  watch(
    {
      name: 'overture_webhooks_lag_seconds',
      help: 'How long the event that is due longest for a webhook waits',
    },
    webhookLag,
  )
}

const countMessages = (engine: Sql) => engine<Figure[]>`
  select state as label, count(*)::float8 as value
    from (select state from email_sends where state in ('queued', 'claimed', 'dot_pending') limit ${MOST}) waiting
   group by state`

const messageLag = (engine: Sql, now: Date) => engine<Figure[]>`
  select '' as label, extract(epoch from greatest('0', ${now}::timestamptz - min(due_at)))::float8 as value
    from email_sends
   where state in ('queued', 'claimed', 'dot_pending')
  having count(*) > 0`

const prospectLag = (engine: Sql, now: Date) => engine<Figure[]>`
  select '' as label, extract(epoch from greatest('0', ${now}::timestamptz - min(r.next_step_at)))::float8 as value
    from campaigns c
   cross join lateral (
     select next_step_at
       from prospects
      where account_id = c.account_id and campaign_id = c.id and status in ${isOpen(engine)}
        and next_step_at is not null
      order by next_step_at
      limit 1) r
   where c.status = 'active'
  having count(*) > 0`

const countSyncs = (engine: Sql) => engine<Figure[]>`
  select status as label, count(*)::float8 as value from mailbox_readings group by status`

const inboxAge = (engine: Sql, now: Date) => engine<Figure[]>`
  select '' as label, extract(epoch from ${now}::timestamptz - min(coalesce(last_read_at, created_at)))::float8 as value
    from mailbox_readings
  having count(*) > 0`

const webhookLag = (engine: Sql, now: Date) => engine<Figure[]>`
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
