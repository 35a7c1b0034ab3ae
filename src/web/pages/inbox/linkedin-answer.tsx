import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperation, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { loadDialog } from '../../ui/load-dialog.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { composerProps } from './focus-composer.ts'
import { LinkedinComposer } from './linkedin-composer.tsx'

const RecordMessageDialog = loadDialog(async () => (await import('./record-message.tsx')).RecordMessageDialog)

/** Shows the composer of the LinkedIn conversation with the person of an email thread. */
export const LinkedinAnswer = ({ linkedinConversationId }: { linkedinConversationId: string }) => (
  <Loaded
    query={useOperation('getLinkedinConversation', { linkedinConversationId })}
    skeleton={<FormSkeleton fields={1} />}
  >
    {conversation => <LinkedinDrafts key={conversation.id} conversation={conversation} />}
  </Loaded>
)

/**
 * Shows the drafts of a LinkedIn conversation and the composer. Only prospects can get messages, because each message
 * belongs to a prospect.
 */
export function LinkedinDrafts({ conversation }: { conversation: Output<'getLinkedinConversation'> }) {
  const { prospectId, repId, personId, messages } = conversation
  const canWrite = usePermission('Inbox.CreateDraft')
  const canRecord = usePermission('Inbox.SendMessage')
  const [isWriting, setWriting] = useState(false)
  const [isRecording, setRecording] = useState(false)
  const [newDraftId, setNewDraftId] = useState<string>()
  if (!canWrite) return null
  if (!prospectId || !repId)
    return <p className="text-muted text-sm">Add the person to a campaign to answer on LinkedIn.</p>
  const drafts = messages.filter(({ status, taskId }) => status === 'draft' && !taskId)
  const newDraft = messages.find(({ id }) => id === newDraftId)
  const to = { prospectId, repId, personId, name: conversation.personName ?? 'contact' }
  const close = () => {
    setWriting(false)
    setNewDraftId(undefined)
  }
  return (
    <>
      {/* Until the first save returns, a draft that appears is the one being written. */}
      {(!isWriting || newDraftId) &&
        drafts.map(
          draft => draft.id !== newDraftId && <LinkedinComposer key={draft.id} to={to} draft={draft} />,
        )}
      {/* A sent draft already appears among the messages before its editor closes. */}
      {isWriting && (!newDraft || drafts.includes(newDraft)) && (
        <LinkedinComposer to={to} onCreated={setNewDraftId} onClose={close} />
      )}
      <div className="flex flex-wrap gap-2">
        {!isWriting && drafts.length === 0 && (
          <Button look="primary" {...composerProps} onClick={() => setWriting(true)}>
            Reply
          </Button>
        )}
        {canRecord && <Button onClick={() => setRecording(true)}>Record message</Button>}
      </div>
      {isRecording && <RecordMessageDialog to={to} onClose={() => setRecording(false)} />}
    </>
  )
}
