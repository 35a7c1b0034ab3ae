import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { WebhookSecret } from './webhook-secret.tsx'
import type { Webhook } from './webhooks.tsx'

const affected = ['getWebhook', 'listWebhooks', 'listWebhookDeliveries'] as const

/** Shows the actions of a webhook's page. */
export function WebhookActions({ webhook: { id: webhookId, url, isEnabled } }: { webhook: Webhook }) {
  const test = useOperationMutation('testWebhook', ...affected)
  const update = useOperationMutation('updateWebhook', ...affected)
  const replay = useOperationMutation('replayWebhook', ...affected)
  const rotate = useOperationMutation('rotateWebhookSecret', ...affected)
  const remove = useOperationMutation('deleteWebhook', 'listWebhooks')
  const navigate = useNavigate()
  const [confirming, setConfirming] = useState<'rotate' | 'remove'>()
  const [secret, setSecret] = useState<string>()
  const showResult = (message: Promise<string>) =>
    void message.then(showToast, error => showToast(error.message))
  const close = () => setConfirming(undefined)
  return (
    <div className="mb-8 flex flex-wrap gap-2">
      {isEnabled && (
        <Button
          look="primary"
          onClick={() =>
            showResult(test({ webhookId }).then(() => 'Test event queued. See deliveries below.'))
          }
        >
          Send test event
        </Button>
      )}
      <Button
        look={isEnabled ? 'secondary' : 'primary'}
        onClick={() =>
          showResult(
            update({ webhookId, isEnabled: !isEnabled }).then(() =>
              isEnabled ? 'Webhook disabled. Events are no longer queued.' : 'Webhook enabled.',
            ),
          )
        }
      >
        {isEnabled ? 'Disable webhook' : 'Enable webhook'}
      </Button>
      <Button
        onClick={() =>
          showResult(
            replay({ webhookId, failed: true }).then(
              ({ replayed }) =>
                `${formatNumber(replayed)} failed ${replayed === 1 ? 'event' : 'events'} queued again.`,
            ),
          )
        }
      >
        Resend failed events
      </Button>
      <Button onClick={() => setConfirming('rotate')}>Rotate secret</Button>
      <Button look="danger" onClick={() => setConfirming('remove')}>
        Remove webhook
      </Button>
      <ConfirmDialog
        isOpen={confirming === 'rotate'}
        title="Rotate the secret?"
        confirm="Rotate secret"
        look="primary"
        onCancel={close}
        onConfirm={async () => {
          setSecret((await rotate({ webhookId })).secret)
          close()
        }}
      >
        The previous secret keeps signing for 24 hours, so that deliveries can still be verified while you
        switch to the new one.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={confirming === 'remove'}
        title="Remove this webhook?"
        confirm="Remove webhook"
        onCancel={close}
        onConfirm={async () => {
          await remove({ webhookId })
          await navigate({ to: '/settings/webhooks' })
          showToast(`Webhook to ${url} removed.`)
        }}
      >
        Pending deliveries are discarded. This can’t be undone.
      </ConfirmDialog>
      <Dialog isOpen={secret !== undefined} onClose={() => setSecret(undefined)} title="Copy the secret">
        <WebhookSecret secret={secret ?? ''} onDone={() => setSecret(undefined)} />
      </Dialog>
    </div>
  )
}
