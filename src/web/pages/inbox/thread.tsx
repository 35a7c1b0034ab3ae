import { getRouteApi } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { NextStep } from '../../components/next-step.tsx'
import { Badge } from '../../ui/badge.tsx'
import { openedProps } from '../../ui/focus-on-navigation.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { ConversationPerson } from './conversation-person.tsx'
import { ThreadMessages } from './thread-messages.tsx'
import { useInteractions } from './use-interactions.ts'

const route = getRouteApi('/shell/inbox/$emailThreadId')

export function Thread() {
  const { emailThreadId } = route.useParams()
  const query = useOperation('getEmailThread', { emailThreadId })
  const interactions = useInteractions(query.data?.personId, emailThreadId)
  // Wait for the other channels too, so that they don't move the text while it is being read.
  const shown = interactions.isLoading ? { ...query, data: undefined } : query
  return (
    <Loaded query={shown} skeleton={<FormSkeleton fields={3} />}>
      {thread => (
        <section aria-labelledby="thread-title">
          <h2 id="thread-title" {...openedProps} className="font-semibold text-lg outline-none">
            {thread.subject || 'No subject'}
          </h2>
          {thread.tags.length > 0 && (
            <p className="mt-1.5 flex flex-wrap gap-1.5">
              {thread.tags.map(tag => (
                <Badge key={tag} tone="accent">
                  {tag}
                </Badge>
              ))}
            </p>
          )}
          {thread.prospectId && <NextStep prospectId={thread.prospectId} />}
          <ThreadMessages key={thread.id} thread={thread} interactions={interactions} />
          <ConversationPerson personId={thread.personId} />
        </section>
      )}
    </Loaded>
  )
}
