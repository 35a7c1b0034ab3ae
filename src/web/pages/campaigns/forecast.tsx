import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { StackedBarChart } from '../../ui/stacked-bar-chart.tsx'
import { formatDateTimeIn, formatNumber } from '../../ui/time.tsx'
import { toForecastBars } from './forecast-bars.ts'
import { formatDelayedEmails } from './forecast-delay.ts'

type Forecast = Output<'forecastCampaign'>
type Limit = Forecast['bottleneck']['limit']

/** Shows when the campaign's emails are sent, from which mailbox, and what delays them. */
export function CampaignForecast({ campaign }: { campaign: Output<'getCampaign'> }) {
  const query = useOperation('forecastCampaign', { campaignId: campaign.id })
  return (
    <Section
      title="Forecast"
      intro="Send times with the saved settings if nobody replies. A real campaign sends fewer emails."
    >
      <Loaded query={query} skeleton={<FormSkeleton fields={2} />}>
        {forecast => <ForecastView forecast={forecast} hasReps={campaign.repIds.length > 0} />}
      </Loaded>
    </Section>
  )
}

function ForecastView({ forecast, hasReps }: { forecast: Forecast; hasReps: boolean }) {
  const { emails, prospects, mailboxes, days, firstSendAt, lastSendAt, timezone, bottleneck } = forecast
  if (emails === 0)
    return (
      <p className="text-muted">
        {prospects === 0 ? 'No emails to send: nobody is waiting for a step.' : 'No emails will be sent.'}
        {prospects > 0 && !hasReps && ' No rep is chosen. Choose one and save.'}
        {prospects > 0 && hasReps && bottleneck.limit !== 'none' && <> {limitTexts[bottleneck.limit]}</>}
      </p>
    )
  const { unit, bars } = toForecastBars(days)
  const total = `${formatNumber(emails)} ${emails === 1 ? 'email' : 'emails'} to ${formatNumber(prospects)} ${prospects === 1 ? 'prospect' : 'prospects'}`
  const [first, last] = [firstSendAt, lastSendAt].map(at => formatDateTimeIn(new Date(at!), timezone))
  return (
    <div className="grid gap-4">
      <p>
        {total}. The first is sent on {first}
        {forecast.endsAfterHorizon
          ? ', and the last more than half a year from now.'
          : `, the last on ${last}.`}
      </p>
      <p className="max-w-[72ch]">
        {limitTexts[bottleneck.limit]}
        {bottleneck.averageWaitHours > 0 && <> {formatDelayedEmails(bottleneck)}</>}
      </p>
      <StackedBarChart
        label={`Emails per ${unit}`}
        summary={`${total}, from ${first} to ${last}`}
        series={mailboxes
          .toSorted((a, b) => b.emails - a.emails)
          .map(({ mailboxId, email }) => ({ key: mailboxId, label: email }))}
        bars={bars}
      />
    </div>
  )
}

const Senders = ({ children }: { children: ReactNode }) => (
  <Link to="/settings/senders" className="text-accent underline underline-offset-2">
    {children}
  </Link>
)

/** The limit that delays a campaign's emails, and how to raise it. */
export const limitTexts: Record<Limit, ReactNode> = {
  no_working_mailbox: (
    <>
      None of these reps’ mailboxes can send. <Senders>Connect or repair one</Senders>.
    </>
  ),
  schedule_over: 'The schedule ends before all emails can be sent. Choose a later last day, or none.',
  daily_cap: (
    <>
      The daily limits of the mailboxes delay the campaign. To finish earlier,{' '}
      <Senders>add mailboxes</Senders> or raise a limit.
    </>
  ),
  warm_up: (
    <>
      The warm-up of the mailboxes delays the campaign. To finish earlier, <Senders>add mailboxes</Senders>{' '}
      that are already warmed up.
    </>
  ),
  gap: (
    <>
      The gaps between the emails of a mailbox delay the campaign. To finish earlier,{' '}
      <Senders>add mailboxes</Senders>, shorten the gaps or widen the sending hours.
    </>
  ),
  new_prospects_cap: 'The daily limit of new prospects delays the campaign. To finish earlier, raise it.',
  none: 'No limit delays the campaign, only the sending hours and the delays between steps.',
}
