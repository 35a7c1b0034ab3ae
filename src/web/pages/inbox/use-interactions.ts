import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { getPersonName } from '../../components/person-name.ts'
import { toInteractionsInput } from './search-params.ts'

/** An email, LinkedIn message or call outside the open conversation. */
export type Interaction = Output<'getPersonTimeline'>['data'][number]

export type Interactions = {
  /** Newest first. */
  shown: Interaction[]
  personId: string | undefined
  /** Name of the person. */
  name: string
  email: string | undefined
  /** The latest conversation on each channel, other than the open one. */
  emailThreadId: string | undefined
  linkedinConversationId: string | undefined
  /** True if there are earlier interactions, which only the person's page shows. */
  hasMore: boolean
  /** False after a failed request, so that the open conversation is shown alone. */
  isLoading: boolean
}

/** Loads the person's messages and calls outside the open conversation: on other channels and in other threads. */
export function useInteractions(personId: string | undefined, openId: string): Interactions {
  const isEnabled = personId !== undefined
  const { data, isLoading } = useOperation('getPersonTimeline', toInteractionsInput(personId ?? ''), {
    isEnabled,
  })
  const { data: person } = useOperation('getPerson', { personId: personId ?? '' }, { isEnabled })
  const others = (data?.data ?? []).filter(
    ({ emailThreadId, linkedinConversationId }) =>
      emailThreadId !== openId && linkedinConversationId !== openId,
  )
  return {
    // Drafts are in the composer of their conversation.
    shown: others.filter(({ status }) => status !== 'draft'),
    personId,
    name: person ? getPersonName(person) : 'Contact',
    email: person?.email ?? undefined,
    emailThreadId: others.find(({ emailThreadId }) => emailThreadId)?.emailThreadId,
    linkedinConversationId: others.find(({ linkedinConversationId }) => linkedinConversationId)
      ?.linkedinConversationId,
    hasMore: data?.hasMore ?? false,
    isLoading,
  }
}
