import { useEffect } from 'react'
import { type Conversation, getContactName } from '../../components/conversations.ts'
import { OptOutDialog } from '../../components/opt-out-dialog.tsx'
import { toIdentifiers } from '../../components/opt-out-identifiers.ts'
import { useDialogPerson } from '../../components/use-dialog-person.ts'
import { showToast } from '../../ui/toast.tsx'

type Props = { conversation: Conversation; onClose: () => void; onOptedOut: () => void }

/** Asks for confirmation before adding the person of a conversation to the Do Not Contact list. */
export function OptOutConversation({ conversation, onClose, onOptedOut }: Props) {
  const person = useDialogPerson(conversation.personId!, onClose)
  const name = getContactName(conversation)
  const identifiers = person ? toIdentifiers(person, name) : []
  const isUnreachable = person !== undefined && identifiers.length === 0
  useEffect(() => {
    if (!isUnreachable) return
    showToast(`${name} has no email address, phone number or LinkedIn profile to opt out.`)
    onClose()
  })
  return <OptOutDialog isOpen={identifiers.length > 0} {...{ name, identifiers, onClose, onOptedOut }} />
}
