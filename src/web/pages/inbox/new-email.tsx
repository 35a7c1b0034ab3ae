import { getRouteApi, Link, useNavigate } from '@tanstack/react-router'
import { useRef, useState } from 'react'
import { call, useOperation, useRepPermission } from '../../api.ts'
import { getPersonName, type Person } from '../../components/person-name.ts'
import { EmptyState } from '../../ui/empty-state.tsx'
import { SelectField } from '../../ui/field.tsx'
import { openedProps } from '../../ui/focus-on-navigation.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { ConversationPerson } from './conversation-person.tsx'
import { EmailComposer } from './email-composer.tsx'
import { createEmailContent, getCreated } from './email-content.ts'

const route = getRouteApi('/shell/inbox/new/$personId')

/** Writes the first email to a person outside of campaigns. */
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
    <p>{person.isOptedOut ? 'They are on the Do Not Contact list.' : 'They have no email address.'}</p>
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
  const mailboxes = useMailboxes()
  const [chosenId, setChosenId] = useState<string>()
  const [draftId, setDraftId] = useState<string>()
  const threadId = useRef<string>(undefined)
  const own = mailboxes.find(({ repId }) => repId === person.ownerRepId)
  const mailboxId = chosenId ?? own?.id ?? ''
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
        repId={mailboxes.find(({ id }) => id === mailboxId)?.repId}
        fields={
          mailboxes.length > 1 && (
            <div className="max-w-[72ch]">
              <SelectField
                label="From"
                value={mailboxId}
                // A draft keeps the mailbox of its conversation.
                disabled={draftId !== undefined}
                onChange={({ target }) => setChosenId(target.value)}
              >
                <option value="">The rep who wrote to them last</option>
                {mailboxes.map(({ id, label }) => (
                  <option key={id} value={id}>
                    {label}
                  </option>
                ))}
              </SelectField>
            </div>
          )
        }
        create={async (content, options) => {
          const { subject, text: body } = content
          const input = { personId, subject, body, ...getCreated(content), draft: true }
          const draft = await call('composeEmail', { ...input, ...(mailboxId && { mailboxId }) }, options)
          threadId.current = draft.emailThreadId
          return draft.id
        }}
        onCreated={setDraftId}
        onClose={isSent => void close(isSent)}
      />
    </div>
  )
}

/** Returns the mailboxes that the user may send from, with the names of their reps. */
function useMailboxes(): { id: string; repId: string; label: string }[] {
  const { data: mailboxes } = useOperation('listMailboxes', { limit: 100 })
  const { data: reps } = useOperation('listReps', { limit: 100 })
  const canSend = useRepPermission('Inbox.SendMessage')
  return (mailboxes?.data ?? []).flatMap(({ id, repId, email }) => {
    const rep = reps?.data.find(rep => rep.id === repId)
    return rep && canSend(rep) ? [{ id, repId, label: `${rep.name} (${email})` }] : []
  })
}
