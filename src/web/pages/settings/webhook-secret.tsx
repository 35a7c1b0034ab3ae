import { Button } from '../../ui/button.tsx'
import { SecretBox } from '../../ui/secret-box.tsx'

/** Shown this once, when it is made and when it is changed. */
export const WebhookSecret = ({ secret, onDone }: { secret: string; onDone: () => void }) => (
  <div className="grid gap-5">
    <SecretBox secret={secret} label="Webhook secret">
      It is shown this once. Verify the header <code className="font-mono">webhook-signature</code> with it,
      by a library of Standard Webhooks.
    </SecretBox>
    <Button look="primary" className="justify-self-start" onClick={onDone}>
      Done
    </Button>
  </div>
)
