import { getRouteApi, Link } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { Time } from '../../ui/time.tsx'
import { WebhookActions } from './webhook-actions.tsx'
import { Deliveries } from './webhook-deliveries.tsx'
import { type Webhook, WebhookStatusBadge } from './webhooks.tsx'

const route = getRouteApi('/shell/settings/webhooks/$webhookId')

export function WebhookPage() {
  const { webhookId } = route.useParams()
  const { status } = route.useSearch()
  const query = useOperation('getWebhook', { webhookId })
  return (
    <Page
      above={
        <Link to="/settings/webhooks" className="text-accent underline-offset-2 hover:underline">
          Webhooks
        </Link>
      }
      title="Webhook"
      intro={query.data && <span className="break-all">{query.data.url}</span>}
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {webhook => (
          <>
            <Health webhook={webhook} />
            <WebhookActions webhook={webhook} />
            <Section
              title="Deliveries"
              intro="Each event with its latest response. Finished deliveries are kept for 30 days."
            >
              <Deliveries webhookId={webhookId} status={status} />
            </Section>
          </>
        )}
      </Loaded>
    </Page>
  )
}

const disabledTexts = {
  gone: 'Disabled because the endpoint responded with 410 Gone. Enable the webhook when the endpoint is back.',
  failing: 'Disabled after five days of failures. Enable the webhook when the endpoint works again.',
}

function Health({ webhook }: { webhook: Webhook }) {
  const { eventTypes, disabledReason, failures, failingSince, lastError, previousSecretEndsAt } = webhook
  return (
    <div className="mb-5 grid gap-1.5">
      <p className="flex flex-wrap items-center gap-2">
        <WebhookStatusBadge webhook={webhook} />
        <span className="text-muted">{eventTypes.join(', ')}</span>
      </p>
      {disabledReason && <p className="max-w-[72ch] text-red">{disabledTexts[disabledReason]}</p>}
      {failures > 0 && (
        <p className="max-w-[72ch] break-words text-amber">
          Failing
          {failingSince && (
            <>
              {' '}
              (started <Time at={failingSince} />)
            </>
          )}
          : {lastError ?? 'no response'}
        </p>
      )}
      {previousSecretEndsAt && (
        <p className="text-muted">
          The previous secret stops signing <Time at={previousSecretEndsAt} />.
        </p>
      )}
    </div>
  )
}
