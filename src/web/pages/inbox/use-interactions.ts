import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { getPersonName } from '../../components/person-name.ts'
import { toInteractionsInput } from './search-params.ts'

/** An email, LinkedIn message or call outside of the open conversation. */
export type Interaction = Output<'getPersonTimeline'>['data'][number]

export type Interactions = {
  /** Newest first. */
  shown: Interaction[]
  personId: string | undefined
  /** Name of the person. */
  name: string
  email: string | undefined
  /** The latest conversation on each channel, besides the open one. */
  emailThreadId: string | undefined
  linkedinConversationId: string | undefined
  /** There are earlier ones, which only the page of the person shows. */
  hasMore: boolean
  /** A failed request shows the open conversation alone. */
  isLoading: boolean
}

/** Reads what else was said with the person of an open conversation: on other channels and in other threads. */
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
