import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperationMutation } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog, Dialog } from '../../ui/dialog.tsx'
import { formatNumber } from '../../ui/time.tsx'
import { showToast } from '../../ui/toast.tsx'
import { WebhookSecret } from './webhook-secret.tsx'
import type { Webhook } from './webhooks.tsx'

const changed = ['getWebhook', 'listWebhooks', 'listWebhookDeliveries'] as const

/** What can be done with a webhook. */
export function WebhookActions({ webhook: { id: webhookId, url, isEnabled } }: { webhook: Webhook }) {
  const test = useOperationMutation('testWebhook', ...changed)
  const update = useOperationMutation('updateWebhook', ...changed)
  const replay = useOperationMutation('replayWebhook', ...changed)
  const rotate = useOperationMutation('rotateWebhookSecret', ...changed)
  const remove = useOperationMutation('deleteWebhook', 'listWebhooks')
  const navigate = useNavigate()
  const [asking, setAsking] = useState<'rotate' | 'remove'>()
  const [secret, setSecret] = useState<string>()
  const tell = (done: Promise<string>) => void done.then(showToast, error => showToast(error.message))
  const close = () => setAsking(undefined)
  return (
    <div className="mb-8 flex flex-wrap gap-2">
      {isEnabled && (
        <Button
          look="primary"
          onClick={() => tell(test({ webhookId }).then(() => 'A test event is on its way. See below.'))}
        >
          Send test event
        </Button>
      )}
      <Button
        look={isEnabled ? 'secondary' : 'primary'}
        onClick={() =>
          tell(
            update({ webhookId, isEnabled: !isEnabled }).then(() =>
              isEnabled ? 'Switched off. No events are kept for it.' : 'Switched on.',
            ),
          )
        }
      >
        {isEnabled ? 'Switch off' : 'Switch on'}
      </Button>
      <Button
        onClick={() =>
          tell(
            replay({ webhookId, failed: true }).then(
              ({ replayed }) => `${formatNumber(replayed)} failed events are posted again.`,
            ),
          )
        }
      >
        Replay failed events
      </Button>
      <Button onClick={() => setAsking('rotate')}>Rotate secret</Button>
      <Button look="danger" onClick={() => setAsking('remove')}>
        Remove webhook
      </Button>
      <ConfirmDialog
        isOpen={asking === 'rotate'}
        title="Give it a new secret?"
        confirm="Rotate secret"
        look="primary"
        onCancel={close}
        onConfirm={async () => {
          setSecret((await rotate({ webhookId })).secret)
          close()
        }}
      >
        For 24 hours the former one signs too, so that nothing is refused while you put the new one in its
        place.
      </ConfirmDialog>
      <ConfirmDialog
        isOpen={asking === 'remove'}
        title="Remove this webhook?"
        confirm="Remove webhook"
        onCancel={close}
        onConfirm={async () => {
          await remove({ webhookId })
          await navigate({ to: '/settings/webhooks' })
          showToast(`Nothing is posted to ${url} any more.`)
        }}
      >
        What is still on its way to it is given up. This can't be taken back.
      </ConfirmDialog>
      <Dialog isOpen={secret !== undefined} onClose={() => setSecret(undefined)} title="Copy its secret now">
        <WebhookSecret secret={secret ?? ''} onDone={() => setSecret(undefined)} />
      </Dialog>
    </div>
  )
}
