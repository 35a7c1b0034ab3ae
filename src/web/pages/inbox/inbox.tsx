import { getRouteApi, Link, Outlet, useParams } from '@tanstack/react-router'
import { useEffect } from 'react'
import { useOperation, usePages, usePermission } from '../../api.ts'
import type { Conversation } from '../../components/conversations.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { SelectionBar, useSelection } from '../../ui/selection.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { AdjacentButtons, BulkActions, ConversationActions } from './conversation-actions.tsx'
import { ConversationList } from './conversation-list.tsx'
import { Filters } from './filters.tsx'
import { InboxLayout } from './inbox-layout.tsx'
import { NewEmailButton } from './new-email-button.tsx'
import { toListConversationsInput } from './search-params.ts'
import { Triage } from './triage.tsx'
import { useConversationUpdates } from './use-conversation-updates.ts'
import { usePrefetchNext } from './use-prefetch-next.ts'
import { Views } from './views.tsx'

const route = getRouteApi('/shell/inbox')

/** Shows the conversations of a view and the open one. */
export function InboxPage() {
  const { query, more } = usePages('listConversations', toListConversationsInput(route.useSearch()))
  const { openId, open } = useOpenConversation(query.data)
  const { personId } = useParams({ strict: false })
  const isOpen = openId !== undefined || personId !== undefined
  /** On narrow screens, an open conversation replaces the list and its controls. */
  const listClass = isOpen ? 'hidden wide:block' : ''
  const selection = useSelection(query.data)
  useMarkAsRead(open)
  useScrollToOpen(openId, query.data)
  usePrefetchNext(query.data, openId)
  return (
    <Page
      title="Inbox"
      action={
        <div className={listClass}>
          <NewEmailButton />
        </div>
      }
      fillsWindow
    >
      <div className={listClass}>
        <Views />
      </div>
      <Triage listed={query.data ?? []} open={open} openId={openId} selection={selection}>
        <InboxLayout
          isOpen={isOpen}
          filters={<Filters />}
          list={
            <>
              <Loaded query={query} skeleton={<TableSkeleton />}>
                {conversations => (
                  <ConversationList
                    conversations={conversations}
                    hasMore={more.hasMore}
                    openId={openId}
                    selection={selection}
                  />
                )}
              </Loaded>
              {query.data && <LoadMore {...more} count={query.data.length} />}
            </>
          }
          actions={
            <div className="mb-3 flex flex-wrap items-center justify-between gap-x-4 gap-y-2">
              <Link
                to="/inbox"
                search={true}
                className="text-accent underline-offset-2 hover:underline wide:hidden"
              >
                All conversations
              </Link>
              <AdjacentButtons listed={query.data ?? []} openId={openId} />
              {open && <ConversationActions conversation={open} />}
            </div>
          }
        >
          <Outlet />
        </InboxLayout>
        <SelectionBar selection={selection}>
          <BulkActions conversations={selection.rows} />
        </SelectionBar>
      </Triage>
    </Page>
  )
}

/**
 * Returns the open conversation and its ID. A thread with only campaign emails is not a conversation: its page opens,
 * but `open` is undefined.
 */
function useOpenConversation(listed: Conversation[] | undefined): {
  openId: string | undefined
  open: Conversation | undefined
} {
  const { emailThreadId, linkedinConversationId } = useParams({ strict: false })
  const openId = emailThreadId ?? linkedinConversationId
  const { data } = useOperation(
    'getConversation',
    { conversationId: openId ?? '' },
    { isEnabled: openId !== undefined },
  )
  return { openId, open: data ?? listed?.find(({ id }) => id === openId) }
}

/** Marks a conversation as read when it is opened, and when a message arrives while it is open. */
function useMarkAsRead(open: Conversation | undefined): void {
  const canUpdate = usePermission('Inbox.SendMessage')
  const { markAsRead } = useConversationUpdates()
  // biome-ignore lint/correctness/useExhaustiveDependencies: once per message, so that it can be marked as unread again
  useEffect(() => {
    if (open?.isUnread && canUpdate) markAsRead(open).catch(() => {})
  }, [open?.id, open?.lastMessage.id])
}

/** Scrolls the list to the open conversation, and again when the conversation returns to the list. */
function useScrollToOpen(openId: string | undefined, listed: Conversation[] = []): void {
  const isListed = listed.some(({ id }) => id === openId)
  useEffect(() => {
    if (!openId || !isListed) return
    document
      .querySelector(`[data-conversation="${CSS.escape(openId)}"]`)
      ?.scrollIntoView({ block: 'nearest' })
  }, [openId, isListed])
}
