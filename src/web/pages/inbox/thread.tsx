import { getRouteApi, Link } from '@tanstack/react-router'
import { useAnswer } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { MessageCard } from './message.tsx'
import { WhatIsNext } from './what-is-next.tsx'

const route = getRouteApi('/shell/inbox/$emailThreadId')

export function Thread() {
  const { emailThreadId } = route.useParams()
  const query = useAnswer('getEmailThread', { emailThreadId })
  return (
    <>
      <p className="mb-3 wide:hidden">
        <Link to="/inbox" search={true} className="text-accent underline-offset-2 hover:underline">
          All threads
        </Link>
      </p>
      <Loaded query={query} skeleton={<FormSkeleton fields={3} />}>
        {({ subject, prospectId, tags, messages }) => (
          <section aria-labelledby="thread-title">
            <h2 id="thread-title" className="font-semibold text-lg">
              {subject || 'No subject'}
            </h2>
            {tags.length > 0 && (
              <p className="mt-1.5 flex flex-wrap gap-1.5">
                {tags.map(tag => (
                  <Badge key={tag} tone="accent">
                    {tag}
                  </Badge>
                ))}
              </p>
            )}
            {prospectId && <WhatIsNext prospectId={prospectId} />}
            <div className="mt-4 grid grid-cols-1 gap-3">
              {messages.map(message => (
                <MessageCard key={message.id} message={message} />
              ))}
            </div>
          </section>
        )}
      </Loaded>
    </>
  )
}
