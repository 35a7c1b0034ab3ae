import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useEffect, useState } from 'react'
import { ADMIN_CONSENT_STATE } from '../../../contract/mail-clients.ts'
import { useOperationMutation } from '../../api.ts'
import type { Mailbox } from '../../components/mailbox-state.tsx'
import { buttonClass } from '../../ui/button.tsx'
import { Card, Page } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { ReconnectButton } from './connect-provider.tsx'
import { ConnectionResult } from './connection-result.tsx'

const route = getRouteApi('/shell/settings/senders/connected')

type Outcome = { mailbox: Mailbox } | { error: string }

/** Shows the page to which Google and Microsoft redirect the browser after a sign-in. */
export function MailboxConnectedPage() {
  const { state, code, error, admin_consent: isConsented } = route.useSearch()
  return (
    <Page title="Connect mailbox">
      {state === ADMIN_CONSENT_STATE ? (
        <ConsentResult isGiven={isConsented !== undefined && !error} error={error} />
      ) : (
        <Completion state={state ?? ''} code={code} error={error} />
      )}
    </Page>
  )
}

const ConsentResult = ({ isGiven, error }: { isGiven: boolean; error: string | undefined }) =>
  isGiven ? (
    <Message title="Overture is allowed in your organization">
      Mailboxes of its users can be connected now.
    </Message>
  ) : (
    <Message title="Overture is not allowed in your organization yet">
      {`${error && error !== 'access_denied' ? `Microsoft reported the error ${error}` : 'The administrator did not consent'}. To try again, open “Consent as an administrator” under Settings → Google and Microsoft, or send that link to an administrator of your organization.`}
    </Message>
  )

function Completion({
  state,
  code,
  error,
}: {
  state: string
  code: string | undefined
  error: string | undefined
}) {
  const complete = useOperationMutation(
    'completeMailboxConnection',
    'listMailboxes',
    'listProblems',
    'listDomains',
  )
  const navigate = useNavigate()
  const [outcome, setOutcome] = useState<Outcome>()
  // biome-ignore lint/correctness/useExhaustiveDependencies: a code can be used once.
  useEffect(() => {
    // A reload must not use the code again, and the address bar must not keep it.
    window.history.replaceState(window.history.state, '', window.location.pathname)
    if (!state) return setOutcome({ error: 'This page only completes a sign-in. Start it under Senders.' })
    complete({ state, ...(code ? { code } : { error: error ?? 'no_code' }) }).then(
      mailbox => setOutcome({ mailbox }),
      (cause: Error) => setOutcome({ error: cause.message }),
    )
  }, [])
  if (!outcome) return <FormSkeleton fields={2} />
  if ('error' in outcome) return <Message title="The mailbox is not connected">{outcome.error}</Message>
  const { mailbox } = outcome
  return (
    <>
      <ConnectionResult
        mailbox={mailbox}
        isNew={false}
        onEdit={() => void navigate({ to: '/settings/senders/connect', search: { mailboxId: mailbox.id } })}
      />
      {mailbox.status !== 'active' && <ReconnectButton mailbox={mailbox} />}
    </>
  )
}

const Message = ({ title, children }: { title: string; children: string }) => (
  <Card>
    <div className="grid max-w-[72ch] justify-items-start gap-4">
      <h2 className="font-semibold text-lg">{title}</h2>
      <p>{children}</p>
      <Link to="/settings/senders" className={buttonClass('primary')}>
        Show senders
      </Link>
    </div>
  </Card>
)
