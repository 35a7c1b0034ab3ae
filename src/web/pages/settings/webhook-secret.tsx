import { Button } from '../../ui/button.tsx'
import { CopyBox } from '../../ui/copy-box.tsx'

/** Shows the secret once, after a webhook is created or its secret rotated. */
export const WebhookSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <div className="grid gap-5">
    <CopyBox value={secret} label="Webhook secret">
      This secret is shown only once. Use it to verify the{' '}
      <code className="font-mono">webhook-signature</code> header with a Standard Webhooks library.
    </CopyBox>
    <Button look="primary" className="justify-self-start" onClick={onDone}>
      Done
    </Button>
  </div>
)
