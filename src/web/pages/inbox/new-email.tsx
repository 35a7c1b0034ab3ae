import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call, useOperation } from '../../api.ts'
import { explainOptOut } from '../../components/opt-out-sources.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { openedProps } from '../../ui/focus-on-navigation.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { useLoadedValue } from '../../ui/use-loaded-value.ts'
import { ConversationPerson } from './conversation-person.tsx'
import { EmailComposer } from './email-composer.tsx'
import { createEmailContent, toNewDraft } from './email-content.ts'
import { SenderField, useSender } from './sender-field.tsx'

const route = getRouteApi('/shell/inbox/new/$personId')

/** Writes the first email to a person outside campaigns. */
export function NewEmailPage() {
  const { personId } = route.useParams()
  const query = useOperation('getPerson', { personId })
  return (
    <section aria-labelledby="new-email-title">
      <h2 id="new-email-title" {...openedProps} className="font-semibold text-lg outline-none">
        New email
      </h2>
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {person =>
          person.email && !person.isOptedOut ? (
            <NewEmail key={person.id} person={person} email={person.email} />
          ) : (
            <CannotWrite person={person} />
          )
        }
      </Loaded>
      <ConversationPerson personId={personId} />
    </section>
  )
}

const CannotWrite = ({ person }: { person: Person }) => (
  <EmptyState title={`${getPersonName(person)} can’t receive emails`}>
    <p>{person.isOptedOut ? explainOptOut(person) : 'They have no email address.'}</p>
    <Link
      to="/people/$personId"
      params={{ personId: person.id }}
      className="text-accent underline-offset-2 hover:underline"
    >
      Open the person
    </Link>
  </EmptyState>
)

function NewEmail({ person, email }: { person: Person; email: string }) {
  const { id: personId } = person
  const navigate = useNavigate()
  const { sender, senders, choose, remember, isLoading } = useSender(person)
  const waitForSender = useLoadedValue(sender, isLoading)
  const [draftId, setDraftId] = useState<string>()
  const threadId = useRef<string>(undefined)
  const close = (isSent: boolean) =>
    isSent && threadId.current
      ? navigate({ to: '/inbox/$emailThreadId', params: { emailThreadId: threadId.current }, search: true })
      : navigate({ to: '/inbox', search: true })
  return (
    <div className="mt-4">
      <EmailComposer
        draftId={undefined}
        initial={createEmailContent([{ name: getPersonName(person), email }])}
        title="Email"
        hasSubject
        personId={personId}
        repId={sender?.repId}
        senderId={sender?.id}
        missing={sender || isLoading ? undefined : 'Choose a mailbox that can send first.'}
        fields={
          <SenderField
            // A draft keeps the mailbox of its conversation.
            isFixed={draftId !== undefined}
            {...{ sender, senders, choose, isLoading }}
          />
        }
        create={async (content, options) => {
          const { subject, text: body } = content
          const input = { personId, subject, body, ...toNewDraft(content), draft: true }
          // Without a mailbox, the server would choose its own default.
          const sender = await waitForSender()
          const draft = await call('composeEmail', { ...input, mailboxId: sender?.id }, options)
          if (sender) remember(sender.id)
          threadId.current = draft.emailThreadId
          return draft.id
        }}
        onCreated={setDraftId}
        onClose={isSent => void close(isSent)}
      />
    </div>
  )
}
