import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { usePages } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Button } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { Table } from '../../ui/table.tsx'
import { Time } from '../../ui/time.tsx'
import { CreateWebhook } from './create-webhook.tsx'

export type Webhook = Output<'getWebhook'>

export function WebhooksPage() {
  const { query, more } = usePages('listWebhooks', {})
  const [isCreating, setCreating] = useState(false)
  return (
    <Page
      title="Webhooks"
      intro="Overture posts this account’s events, signed, to your URLs."
      action={
        <Button look="primary" onClick={() => setCreating(true)}>
          Add webhook
        </Button>
      }
    >
      <Loaded query={query} skeleton={<TableSkeleton rows={3} />}>
        {rows =>
          rows.length > 0 ? (
            <Table
              label="Webhooks"
              rows={rows}
              more={more}
              columns={[
                { head: 'URL', cell: webhook => <WebhookLink webhook={webhook} /> },
                { head: 'Status', cell: webhook => <WebhookStatusBadge webhook={webhook} /> },
                { head: 'Events', cell: ({ eventTypes }) => eventTypes.join(', '), isMinor: true },
                {
                  head: 'Last delivered',
                  cell: ({ lastDeliveredAt }) =>
                    lastDeliveredAt ? (
                      <Time at={lastDeliveredAt} />
                    ) : (
                      <>
                        Never<span className="narrow:hidden"> delivered</span>
                      </>
                    ),
                },
              ]}
            />
          ) : (
            <EmptyState title="No webhooks yet">
              Add a webhook to notify your CRM or automation when a prospect replies, an email bounces or a
              call ends.
            </EmptyState>
          )
        }
      </Loaded>
      <CreateWebhook isOpen={isCreating} onClose={() => setCreating(false)} />
    </Page>
  )
}

const WebhookLink = ({ webhook: { id, url, description } }: { webhook: Webhook }) => (
  <>
    <Link
      to="/settings/webhooks/$webhookId"
      params={{ webhookId: id }}
      className="break-all underline-offset-2 hover:underline"
    >
      {url}
    </Link>
    {description && <span className="block text-muted text-xs">{description}</span>}
  </>
)

/** Shows whether a webhook is enabled and whether its deliveries succeed. */
export function WebhookStatusBadge({
  webhook: { isEnabled, disabledReason, failures },
}: {
  webhook: Webhook
}) {
  if (disabledReason) return <Badge tone="red">Disabled automatically</Badge>
  if (!isEnabled) return <Badge>Disabled</Badge>
  return failures > 0 ? <Badge tone="amber">Failing</Badge> : <Badge tone="green">Enabled</Badge>
}
