import { getRouteApi, Link, Outlet, useParams } from '@tanstack/react-router'
import { usePages } from '../../api.ts'
import { LoadMore } from '../../ui/load-more.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { ConversationList } from './conversation-list.tsx'
import { InboxLayout } from './inbox-layout.tsx'
import { toListConversationsInput } from './search-params.ts'
import { Views } from './views.tsx'

const route = getRouteApi('/shell/inbox')

/** The conversations of a view and the open one. */
export function InboxPage() {
  const search = route.useSearch()
  const { emailThreadId, linkedinConversationId } = useParams({ strict: false })
  const openId = emailThreadId ?? linkedinConversationId
  const { query, more } = usePages('listConversations', toListConversationsInput(search))
  return (
    <Page title="Inbox" isFilling>
      <div className={openId ? 'hidden wide:block' : ''}>
        <Views />
      </div>
      <InboxLayout
        isOpen={openId !== undefined}
        list={
          <>
            <Loaded query={query} skeleton={<TableSkeleton />}>
              {conversations => <ConversationList conversations={conversations} />}
            </Loaded>
            {query.data && <LoadMore {...more} count={query.data.length} />}
          </>
        }
        actions={
          <p className="mb-3 wide:hidden">
            <Link to="/inbox" search={true} className="text-accent underline-offset-2 hover:underline">
              All conversations
            </Link>
          </p>
        }
      >
        <Outlet />
      </InboxLayout>
    </Page>
  )
}
