import { useEffect, useRef, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import type { Message } from './message.ts'
import { MessageCard } from './message-card.tsx'

/** Messages with one of these statuses need attention and are never folded at first. */
const openStatuses = ['queued', 'sending', 'unconfirmed', 'failed', 'suppressed', 'bounced']

/** Returns what is folded when a thread opens: everything but the newest message and problems. */
const getInitiallyFolded = (messages: Message[]): Set<string> =>
  new Set(
    messages
      .slice(0, -1)
      .filter(({ deliveryStatus }) => !openStatuses.includes(deliveryStatus ?? ''))
      .map(({ id }) => id),
  )

/** The messages of a thread, opened at the newest. Messages that arrive later are unfolded and move nothing. */
export function MessageList({ messages }: { messages: Message[] }) {
  const [folded, setFolded] = useState(() => getInitiallyFolded(messages))
  const [isPlain, setPlain] = useState(false)
  const list = useRef<HTMLDivElement>(null)
  const switchView = () => setPlain(!isPlain)
  useShortcuts({ v: switchView })
  useEffect(() => {
    list.current?.lastElementChild?.scrollIntoView({ block: 'nearest' })
  }, [])
  const fold = (id: string, isFolded: boolean) => {
    const next = new Set(folded)
    if (isFolded) next.add(id)
    else next.delete(id)
    setFolded(next)
  }
  return (
    <>
      {folded.size > 1 && (
        <Button look="quiet" size="small" className="justify-self-start" onClick={() => setFolded(new Set())}>
          Show all {messages.length} messages
        </Button>
      )}
      <div ref={list} className="grid grid-cols-1 gap-2">
        {messages.map(message => (
          <MessageCard
            key={message.id}
            message={message}
            isFolded={folded.has(message.id)}
            onFold={isFolded => fold(message.id, isFolded)}
            isPlain={isPlain}
            onSwitch={switchView}
          />
        ))}
      </div>
    </>
  )
}
