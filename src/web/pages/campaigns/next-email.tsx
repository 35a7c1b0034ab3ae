import type { Output } from '../../../contract/index.ts'
import { useOperation, usePermission } from '../../api.ts'
import { MailboxesAtLimit } from '../../components/mailboxes-at-limit.tsx'
import { formatDateTimeIn, formatNumber } from '../../ui/time.tsx'

const DAYS_AHEAD = 30

/** Shows when the next email of a running campaign is sent, and which limits delay it. */
export function NextEmail({ campaign: { id, repIds } }: { campaign: Output<'getCampaign'> }) {
  const { data } = useOperation('forecastCampaign', { campaignId: id, horizonDays: DAYS_AHEAD })
  const canReadReps = usePermission('Rep.ReadRep')
  return (
    <div className="mb-4 grid min-h-6 gap-1 text-muted">
      {data && <p>{describeNext(data)}</p>}
      {canReadReps && data?.firstSendAt && <MailboxesAtLimit repIds={repIds} />}
    </div>
  )
}

function describeNext({ firstSendAt, timezone, emails, prospects }: Output<'forecastCampaign'>): string {
  if (!firstSendAt)
    return prospects === 0
      ? 'No email is due: everyone has finished the sequence.'
      : `No email is due within ${DAYS_AHEAD} days.`
  const rest = `${formatNumber(emails)} ${emails === 1 ? 'email is sent' : 'emails are sent'} within ${DAYS_AHEAD} days`
  return `The next email is sent on ${formatDateTimeIn(new Date(firstSendAt), timezone)}. ${rest} if nobody replies.`
}
