import { useState } from 'react'
import { useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { Button } from '../../ui/button.tsx'
import { ConfirmDialog } from '../../ui/dialog.tsx'
import { showToast } from '../../ui/toast.tsx'
import { ReconnectButton } from './connect-provider.tsx'

/** Repeats the test of a mailbox that cannot sign in, or resumes one that was paused automatically. */
export function RestoreButton({ mailbox }: { mailbox: Mailbox }) {
  const { id, email, status, pausedAt, syncStatus, connection } = mailbox
  const verify = useOperationMutation('verifyMailbox', 'listMailboxes', 'listProblems')
  const resume = useOperationMutation('resumeMailbox', 'listMailboxes', 'listProblems')
  const [isBusy, setBusy] = useState(false)
  const [isConfirming, setConfirming] = useState(false)
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
        <Button size="small" aria-label={`Resume ${email}`} onClick={() => setConfirming(true)}>
          Resume
        </Button>
        <ConfirmDialog
          isOpen={isConfirming}
          title={`Resume ${email}?`}
          confirm="Resume sending"
          look="primary"
          onConfirm={async () => {
            await resume({ mailboxId: id })
            setConfirming(false)
          }}
          onCancel={() => setConfirming(false)}
        >
          It was paused because too many emails bounced or were reported as spam. Before you resume, find out
          where the addresses came from: more bounces and spam reports would harm your domain’s reputation.
        </ConfirmDialog>
      </>
    )
  if (status === 'active' && syncStatus !== 'failing') return null
  const isUserSignIn = connection?.provider === 'google' || connection?.provider === 'microsoft'
  if (isUserSignIn && (!connection.connectedAt || connection.error?.resolvedBy === 'user'))
    return <ReconnectButton mailbox={mailbox} />
  return (
    <Button size="small" isBusy={isBusy} aria-label={`Test again: ${email}`} onClick={() => void test()}>
      Test again
    </Button>
  )
}
