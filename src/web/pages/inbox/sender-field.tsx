import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { useOperation, useSession } from '../../api.ts'
import type { Person } from '../../components/person-name.ts'
import { useOwnRep, usePersonRep } from '../../components/use-person-rep.ts'
import { SelectField } from '../../ui/field.tsx'

type Sender = { id: string; repId: string; label: string }

/**
 * Holds the mailbox that a first email is sent from. The default is the first of these that can send: the mailbox of
 * the person's rep, the one last used for a first email, the mailbox of the user's own rep, or any other.
 */
export function useSender(person: Person) {
  const { account } = useSession()
  const storageKey = `overture.sender.${account?.id}`
  const { reps, personRep, isLoading: isRepLoading } = usePersonRep(person, 'Inbox.SendMessage')
  const own = useOwnRep(reps)
  const mailboxes = useOperation('listMailboxes', { limit: 100 })
  const [chosenId, setChosenId] = useState<string>()
  const senders = (mailboxes.data?.data ?? []).flatMap(({ id, repId, email, status }): Sender[] => {
    const rep = reps.find(rep => rep.id === repId)
    return rep && status === 'active' ? [{ id, repId, label: `${rep.name} (${email})` }] : []
  })
  const isLoading = isRepLoading || mailboxes.isLoading
  const findBy = (field: 'id' | 'repId', value: string | null | undefined) =>
    senders.find(sender => sender[field] === value)
  const findDefault = () =>
    findBy('repId', personRep?.id) ??
    findBy('id', localStorage.getItem(storageKey)) ??
    findBy('repId', own?.id) ??
    senders[0]
  const sender = chosenId ? findBy('id', chosenId) : isLoading ? undefined : findDefault()
  return {
    sender,
    senders,
    isLoading,
    choose: setChosenId,
    remember: (id: string) => localStorage.setItem(storageKey, id),
  }
}

type Props = Omit<ReturnType<typeof useSender>, 'remember'> & { isFixed: boolean }

/** Shows a field that chooses the sender. */
export function SenderField({ sender, senders, isLoading, choose, isFixed }: Props) {
  if (senders.length === 0 && !isLoading)
    return (
      <p className="max-w-[72ch] text-amber text-sm">
        None of your mailboxes can send.{' '}
        <Link to="/settings/senders" className="underline underline-offset-2">
          Connect or verify one
        </Link>{' '}
        under Senders. Until then, your text is kept here.
      </p>
    )
  return (
    <div className="max-w-[72ch]">
      <SelectField
        label="From"
        value={sender?.id ?? ''}
        disabled={isFixed || isLoading}
        error={sender || isLoading ? undefined : 'This mailbox can’t send anymore. Choose another one.'}
        onChange={({ target }) => choose(target.value)}
      >
        {!sender && <option value="" />}
        {senders.map(({ id, label }) => (
          <option key={id} value={id}>
            {label}
          </option>
        ))}
      </SelectField>
    </div>
  )
}
