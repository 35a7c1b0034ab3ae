import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import type { webhookDeliveryStatuses } from '../../../contract/webhooks.ts'
import { useOperationMutation, usePages } from '../../api.ts'
import { Badge, type Tone } from '../../ui/badge.tsx'
import { Button, filterClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'

type Delivery = Output<'listWebhookDeliveries'>['data'][number]
export type DeliveryStatus = (typeof webhookDeliveryStatuses)[number]

const statusLabels: Record<DeliveryStatus, string> = {
  pending: 'Pending',
  delivered: 'Delivered',
  failed: 'Failed',
}
const tones: Record<DeliveryStatus, Tone> = { pending: 'blue', delivered: 'green', failed: 'red' }

/** Shows the deliveries of a webhook, newest first. The URL holds the filter. */
export function Deliveries({ webhookId, status }: { webhookId: string; status: DeliveryStatus | undefined }) {
  const { query, more } = usePages('listWebhookDeliveries', { webhookId, ...(status && { status }) })
  const filters: [string, DeliveryStatus | undefined][] = [
    ['All', undefined],
    ['Pending', 'pending'],
    ['Delivered', 'delivered'],
    ['Failed', 'failed'],
  ]
  return (
    <>
      <nav aria-label="Filter deliveries" className="mb-3 flex flex-wrap gap-1">
        {filters.map(([label, value]) => (
          <Link
            key={label}
            to="/settings/webhooks/$webhookId"
            params={{ webhookId }}
            search={value ? { status: value } : {}}
            activeOptions={{ exact: true }}
            aria-current={value === status ? 'page' : undefined}
            className={filterClass}
          >
            {label}
          </Link>
        ))}
        <Button size="small" className="ml-auto" onClick={() => void query.refetch()}>
          Refresh deliveries
        </Button>
      </nav>
      <Loaded query={query} skeleton={<TableSkeleton rows={4} />}>
        {deliveries =>
          deliveries.length > 0 ? (
            <ul aria-label="Deliveries" className="rounded-card border border-line bg-surface text-sm">
              {deliveries.map(delivery => (
                <li key={delivery.id} className="border-line border-b px-3 py-2 last:border-0">
                  <DeliveryRow delivery={delivery} />
                </li>
              ))}
            </ul>
          ) : (
            <NoDeliveries isFiltered={status !== undefined} />
          )
        }
      </Loaded>
      {query.data && <LoadMore {...more} count={query.data.length} />}
    </>
  )
}

const NoDeliveries = ({ isFiltered }: { isFiltered: boolean }) =>
  isFiltered ? (
    <EmptyState title="No matching deliveries">Choose another status.</EmptyState>
  ) : (
    <EmptyState title="No deliveries yet">Send a test event to see its delivery here.</EmptyState>
  )

function DeliveryRow({ delivery }: { delivery: Delivery }) {
  const { id, webhookId, eventType, status, attempts, attemptedAt, nextAttemptAt, createdAt } = delivery
  const replay = useOperationMutation('replayWebhook', 'listWebhookDeliveries', 'getWebhook')
  const handleReplay = () =>
    replay({ webhookId, deliveryId: id }).then(
      () => showToast('Event queued again.'),
      error => showToast(error.message),
    )
  return (
    <details>
      <summary className="flex cursor-pointer flex-wrap items-center gap-x-3 gap-y-1 rounded-control">
        <Badge tone={tones[status]}>{statusLabels[status]}</Badge>
        <span className="min-w-0 break-all font-medium">{eventType}</span>
        <span className="text-muted">
          <Time at={attemptedAt ?? createdAt} />
        </span>
      </summary>
      <div className="mt-2 grid gap-2">
        <p className="text-muted">
          {attempts} {attempts === 1 ? 'attempt' : 'attempts'}
          {nextAttemptAt && (
            <>
              , next <Time at={nextAttemptAt} />
            </>
          )}
        </p>
        {delivery.error && <p className="break-words text-red">{delivery.error}</p>}
        <Excerpt title="Payload" text={delivery.data} />
        <Excerpt
          title={delivery.responseStatus ? `Response ${delivery.responseStatus}` : 'Response'}
          text={delivery.response}
        />
        {status !== 'pending' && (
          <Button size="small" className="justify-self-start" onClick={handleReplay}>
            Resend event
          </Button>
        )}
      </div>
    </details>
  )
}

/** Renders plain text, because another server's response is untrusted. */
function Excerpt({ title, text }: { title: string; text: string | undefined }) {
  if (text === undefined) return null
  return (
    <div>
      <p className="text-muted">{title}</p>
      <p className="max-h-48 overflow-y-auto whitespace-pre-wrap break-all rounded-control bg-sunken p-2 font-mono text-xs">
        {text || 'Empty'}
      </p>
    </div>
  )
}
