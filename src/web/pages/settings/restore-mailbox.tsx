import { useState } from 'react'
import { useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ReconnectButton } from './connect-provider.tsx'

/** Tests a mailbox that cannot sign in again, or resumes one that paused itself. */
export function RestoreButton({ mailbox }: { mailbox: Mailbox }) {
  const { id, email, status, pausedAt, syncStatus, connection } = mailbox
  const verify = useOperationMutation('verifyMailbox', 'listMailboxes', 'listProblems')
  const resume = useOperationMutation('resumeMailbox', 'listMailboxes', 'listProblems')
  const [isBusy, setBusy] = useState(false)
  const [isAsking, setAsking] = useState(false)
  const test = async () => {
    setBusy(true)
    try {
      const tested = await verify({ mailboxId: id })
      showToast(tested.status === 'active' ? `${email} is connected.` : `${email} still cannot sign in.`)
    } catch (error) {
      showToast((error as Error).message)
    }
    setBusy(false)
  }
  if (pausedAt)
    return (
      <>
        <Button size="small" aria-label={`Resume ${email}`} onClick={() => setAsking(true)}>
          Resume
        </Button>
        <ConfirmDialog
          isOpen={isAsking}
          title={`Resume ${email}?`}
          confirm="Resume sending"
          look="primary"
          onConfirm={async () => {
            await resume({ mailboxId: id })
            setAsking(false)
          }}
          onCancel={() => setAsking(false)}
        >
          It paused because too many emails bounced or were reported as spam. Find out where these addresses
          come from first: more of them harm the reputation of your domain.
        </ConfirmDialog>
      </>
    )
  if (status === 'active' && syncStatus !== 'failing') return null
  const isUsers = connection?.provider === 'google' || connection?.provider === 'microsoft'
  if (isUsers && (!connection.connectedAt || connection.error?.resolvedBy === 'user'))
    return <ReconnectButton mailbox={mailbox} />
  return (
    <Button size="small" isBusy={isBusy} aria-label={`Test again: ${email}`} onClick={() => void test()}>
      Test again
    </Button>
  )
}
