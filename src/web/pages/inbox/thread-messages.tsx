import { useNavigate } from '@tanstack/react-router'
import { useState } from 'react'
import type { Output } from '../../../contract/index.ts'
import { call, usePermission } from '../../api.ts'
import { Button } from '../../ui/button.tsx'
import { usePageCommands } from '../../ui/page-commands.ts'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { AnswerChannels } from './answer-channels.tsx'
import { DraftSources } from './draft-sources.tsx'
import { EmailComposer } from './email-composer.tsx'
import {
  createForwardContent,
  createReplyContent,
  type EmailContent,
  toEmailContent,
  toNewDraft,
} from './email-content.ts'
import { composerProps } from './focus-composer.ts'
import { LinkedinAnswer } from './linkedin-answer.tsx'
import { type Contact, getReplyRecipients, type Message, nameSender } from './message.ts'
import { MessageList } from './message-list.tsx'
import type { Interactions } from './use-interactions.ts'

type Thread = Output<'getEmailThread'>

/** Reports whether a draft can be edited. Queued drafts are shown among the messages. */
const isEditableDraft = ({ status, deliveryStatus }: Message): boolean =>
  status === 'draft' && !['queued', 'sending', 'unconfirmed'].includes(deliveryStatus ?? '')

type Writing = {
  title: 'Reply' | 'Forward'
  initial: EmailContent
  /** The IDs of the drafts that existed when the user began to write. */
  knownIds: ReadonlySet<string>
}

/** Returns the drafts of a thread that the user may edit. */
function useDrafts({ messages }: Thread): Message[] {
  const canWrite = usePermission('Inbox.CreateDraft')
  return canWrite ? messages.filter(isEditableDraft) : []
}

type ThreadProps = { thread: Thread; interactions: Interactions }

/** Shows the messages of a thread among the person's other messages and calls, with the composer below. */
export function ThreadMessages({ thread: stored, interactions }: ThreadProps) {
  const thread = { ...stored, messages: stored.messages.map(message => nameSender(message, interactions)) }
  const drafts = useDrafts(thread)
  const navigate = useNavigate()
  const { linkedinConversationId } = interactions
  return (
    <div className="mt-4 grid grid-cols-1 gap-3">
      <MessageList
        messages={thread.messages.filter(message => !drafts.includes(message))}
        interactions={interactions}
      />
      <AnswerChannels
        own="email"
        other={linkedinConversationId && <LinkedinAnswer linkedinConversationId={linkedinConversationId} />}
      >
        {show => (
          <ThreadComposer
            thread={thread}
            onForward={show}
            onDeleted={() => void navigate({ to: '/inbox', search: true })}
          />
        )}
      </AnswerChannels>
    </div>
  )
}

type ComposerProps = {
  thread: Thread
  /** Called before a forwarded message is written. */
  onForward?: () => void
  /** Called after a first email is deleted, which also deletes the thread. */
  onDeleted?: () => void
}

/** Shows the drafts of a thread and the composer. */
export function ThreadComposer({ thread, onForward, onDeleted }: ComposerProps) {
  const { prospectId, personId, repId, messages } = thread
  const canWrite = usePermission('Inbox.CreateDraft')
  const [writing, setWriting] = useState<Writing>()
  const [newDraftId, setNewDraftId] = useState<string>()
  const drafts = useDrafts(thread)
  const parent = canWrite ? messages.findLast(({ status }) => status === 'sent') : undefined
  const begin = (title: Writing['title'], initial: EmailContent) =>
    setWriting({ title, initial, knownIds: new Set(drafts.map(({ id }) => id)) })
  const forward = () => {
    if (!parent || writing) return
    onForward?.()
    begin('Forward', createForwardContent(parent))
  }
  useShortcuts({ f: forward })
  usePageCommands(parent ? [{ label: 'Forward', hint: 'f', run: forward }] : [])
  const close = () => {
    setWriting(undefined)
    setNewDraftId(undefined)
  }
  const create: Parameters<typeof EmailComposer>[0]['create'] = async (content, options) => {
    if (!parent) return recreateFirstEmail(thread, content)
    const draft = {
      ...(prospectId && { prospectId }),
      emailMessageIdToReplyTo: parent.id,
      ...(content.subject && { subject: content.subject }),
      body: content.text,
      ...toNewDraft(content),
    }
    return (await call('createEmailDraft', draft, options)).messageId
  }
  const about = { personId, repId, create, sender: thread.sender ?? null }
  const newDraft = messages.find(({ id }) => id === newDraftId)
  // Until the first save returns, a draft that appears is the one being written; it stays in the open composer.
  const isShown = ({ id }: Message) =>
    !writing || writing.knownIds.has(id) || (newDraftId !== undefined && id !== newDraftId)
  return (
    <>
      {drafts.filter(isShown).map(draft => (
        <EmailComposer
          key={draft.id}
          {...about}
          draftId={draft.id}
          initial={toEmailContent(draft)}
          title={parent ? 'Reply' : 'Email'}
          hasSubject={!parent}
          draft={draft}
          note={<Sources draft={draft} thread={thread} />}
          onClose={isSent => !isSent && !parent && onDeleted?.()}
        />
      ))}
      {/* A sent draft already appears among the messages before its composer closes. */}
      {writing && (!newDraft || drafts.includes(newDraft)) && (
        <EmailComposer
          {...about}
          draftId={undefined}
          initial={newDraft ? toEmailContent(newDraft) : writing.initial}
          draft={newDraft}
          title={writing.title}
          hasSubject={writing.title === 'Forward'}
          originals={writing.title === 'Forward' ? parent?.attachments : undefined}
          onCreated={setNewDraftId}
          onClose={close}
        />
      )}
      {parent && !writing && (
        <ReplyButtons
          canReply={drafts.length === 0}
          others={findOthers(parent, messages)}
          onReply={cc => {
            const content = createReplyContent(parent)
            begin('Reply', { ...content, recipients: { ...content.recipients, cc } })
          }}
          onForward={forward}
        />
      )}
    </>
  )
}

/** Restores a deleted first email as a draft in a new thread from the same mailbox. Returns the ID of the draft. */
async function recreateFirstEmail(
  { personId, repId, sender }: Thread,
  content: EmailContent,
): Promise<string> {
  const { data } = await call('listMailboxes', { limit: 100, ...(repId && { repId }) })
  const mailboxId = data.find(({ email }) => email === sender?.email)?.id
  const { subject, text: body } = content
  const input = { personId: personId!, subject, body, ...toNewDraft(content), draft: true }
  return (await call('composeEmail', { ...input, ...(mailboxId && { mailboxId }) })).id
}

/** Shows the sources of a reply agent's draft. */
function Sources({ draft, thread: { messages, campaignId } }: { draft: Message; thread: Thread }) {
  const reply = messages.find(message => message.reply?.draft.emailMessageId === draft.id)
  return draft.type === 'reply_agent' && reply && <DraftSources reply={reply} campaignId={campaignId} />
}

type ReplyButtonsProps = {
  canReply: boolean
  others: readonly Contact[]
  onReply: (cc: readonly Contact[]) => void
  onForward: () => void
}

/**
 * Shows the closed composer: it stays at the bottom of the conversation, unless it would cover the buttons of a draft.
 */
const ReplyButtons = ({ canReply, others, onReply, onForward }: ReplyButtonsProps) => (
  <div
    data-closed={canReply || undefined}
    className={`flex flex-wrap gap-2 bg-page py-2 ${canReply ? 'wide:sticky wide:bottom-0' : ''}`}
  >
    {canReply && (
      <Button look="primary" {...composerProps} title="Key: r" onClick={() => onReply([])}>
        Reply
      </Button>
    )}
    {canReply && others.length > 0 && <Button onClick={() => onReply(others)}>Reply to all</Button>}
    <Button title="Key: f" onClick={onForward}>
      Forward
    </Button>
  </div>
)

/** Returns the recipients, other than us, that only a reply to all includes. */
function findOthers(message: Message, messages: Message[]): Contact[] {
  const { to, cc = [] } = message.recipients
  const own = messages.flatMap(({ type, from }) => (type !== 'received' && from ? [from.email] : []))
  const excluded = new Set([...own, ...getReplyRecipients(message).map(({ email }) => email)])
  return own.length === 0 ? [] : [...to, ...cc].filter(({ email }) => !excluded.has(email))
}
