import { Link } from '@tanstack/react-router'
import { useOperation } from '../../api.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import type { Message } from './message.ts'
import { IntentBadge } from './reply-classification.tsx'

/** Reasons why autopilot didn't send a draft. */
const reasons: Record<string, string> = {
  intent: 'Autopilot leaves replies of this kind to you.',
  newer_message: 'The conversation has continued since this reply.',
  daily_replies: 'Autopilot has reached its daily limit of replies.',
  other_sender: 'Somebody else answered: check the recipients.',
  foreign_link:
    'The draft contains a link, address or number that is not in the campaign’s knowledge. Check it before you send.',
}

/** Shows the agent's classification of the reply that its draft answers, and the sources of the draft. */
export function DraftSources({ reply, campaignId }: { reply: Message; campaignId: string | undefined }) {
  const reason = reasons[reply.reply?.draft.reason ?? '']
  return (
    <div className="grid gap-1.5">
      <p className="flex flex-wrap items-center gap-2">
        The reply agent classified the reply as <IntentBadge message={reply} />
      </p>
      {reason && <p>{reason}</p>}
      {campaignId && <Knowledge campaignId={campaignId} />}
    </div>
  )
}

/** Shows the campaign's knowledge: the draft states only facts from here and from the conversation. */
function Knowledge({ campaignId }: { campaignId: string }) {
  const { data: knowledge } = useOperation('getCampaignKnowledge', { campaignId })
  if (!knowledge) return null
  const { offer, answers, nextStep } = knowledge
  return (
    <details>
      <summary className="w-fit cursor-pointer rounded-control hover:text-text">
        Sources: this conversation and the knowledge of the campaign
      </summary>
      <div className="mt-2 grid gap-2 whitespace-pre-wrap text-text">
        <DescriptionList items={{ Offer: offer, Answers: answers, 'Next step': nextStep }} />
        <p>
          <Link
            to="/campaigns/$campaignId/sending"
            params={{ campaignId }}
            className="text-accent underline-offset-2 hover:underline"
          >
            Edit the knowledge
          </Link>
        </p>
      </div>
    </details>
  )
}
