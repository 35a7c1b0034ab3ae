import { useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { useShortcuts } from '../../ui/use-shortcuts.ts'
import { EarlierInteractions, toStreamItems } from './interaction-card.tsx'
import type { Message } from './message.ts'
import { MessageCard } from './message-card.tsx'
import { Stream } from './stream.tsx'
import type { Interactions } from './use-interactions.ts'

/** Messages with one of these statuses need attention and are never collapsed at first. */
const openStatuses = ['queued', 'sending', 'unconfirmed', 'failed', 'suppressed', 'bounced']

/** Returns the messages that are collapsed when a thread opens: all but the newest and those with problems. */
const getInitiallyCollapsed = (messages: Message[]): Set<string> =>
  new Set(
    messages
      .slice(0, -1)
      .filter(({ deliveryStatus }) => !openStatuses.includes(deliveryStatus ?? ''))
      .map(({ id }) => id),
  )

type Props = { messages: Message[]; interactions: Interactions }

/**
 * Shows the messages of a thread among the person's other messages and calls, scrolled to the newest. Messages that
 * arrive later are expanded.
 */
export function MessageList({ messages, interactions }: Props) {
  const [collapsed, setCollapsed] = useState(() => getInitiallyCollapsed(messages))
  const [isPlain, setPlain] = useState(false)
  const view = { isPlain, onSwitch: () => setPlain(!isPlain) }
  useShortcuts({ v: view.onSwitch })
  const toggle = (id: string, isCollapsed: boolean) => {
    const next = new Set(collapsed)
    if (isCollapsed) next.add(id)
    else next.delete(id)
    setCollapsed(next)
  }
  const items = messages.map(message => ({
    key: message.id,
    at: message.sentAt,
    node: (
      <MessageCard
        message={message}
        isCollapsed={collapsed.has(message.id)}
        onCollapse={isCollapsed => toggle(message.id, isCollapsed)}
        {...view}
      />
    ),
  }))
  return (
    <>
      <EarlierInteractions {...interactions} />
      {collapsed.size > 1 && (
        <Button
          look="quiet"
          size="small"
          className="justify-self-start"
          onClick={() => setCollapsed(new Set())}
        >
          Show all {messages.length} messages
        </Button>
      )}
      <Stream items={[...items, ...toStreamItems(interactions, view)]} />
    </>
  )
}
