import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { EarlierInteractions, toStreamItems } from './interaction-card.tsx'
import type { Message } from './message.ts'
import { MessageCard } from './message-card.tsx'
import { Stream } from './stream.tsx'
import type { Interactions } from './use-interactions.ts'

/** Messages with one of these statuses need attention and are never folded at first. */
const openStatuses = ['queued', 'sending', 'unconfirmed', 'failed', 'suppressed', 'bounced']

/** Returns the messages that are folded when a thread opens: all but the newest and those with problems. */
const getInitiallyFolded = (messages: Message[]): Set<string> =>
  new Set(
    messages
      .slice(0, -1)
      .filter(({ deliveryStatus }) => !openStatuses.includes(deliveryStatus ?? ''))
      .map(({ id }) => id),
  )

type Props = { messages: Message[]; interactions: Interactions }

/**
 * The messages of a thread among the person's other messages and calls, scrolled to the newest. Messages that arrive later
 * are unfolded.
 */
export function MessageList({ messages, interactions }: Props) {
  const [folded, setFolded] = useState(() => getInitiallyFolded(messages))
  const [isPlain, setPlain] = useState(false)
  const view = { isPlain, onSwitch: () => setPlain(!isPlain) }
  useShortcuts({ v: view.onSwitch })
  const fold = (id: string, isFolded: boolean) => {
    const next = new Set(folded)
    if (isFolded) next.add(id)
    else next.delete(id)
    setFolded(next)
  }
  const items = messages.map(message => ({
    key: message.id,
    at: message.sentAt,
    node: (
      <MessageCard
        message={message}
        isFolded={folded.has(message.id)}
        onFold={isFolded => fold(message.id, isFolded)}
        {...view}
      />
    ),
  }))
  return (
    <>
      <EarlierInteractions {...interactions} />
      {folded.size > 1 && (
        <Button look="quiet" size="small" className="justify-self-start" onClick={() => setFolded(new Set())}>
          Show all {messages.length} messages
        </Button>
      )}
      <Stream items={[...items, ...toStreamItems(interactions, view)]} />
    </>
  )
}
