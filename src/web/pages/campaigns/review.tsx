import { getRouteApi, Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { useOperation, usePermission } from '../../api.ts'
import { buttonClass } from '../../ui/button.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Metrics } from '../../ui/metrics.tsx'
import { Section } from '../../ui/page.tsx'
import { toSentence } from '../../ui/sentence.ts'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { formatDateTimeIn } from '../../ui/time.tsx'
import { limitTexts } from './forecast.tsx'
import { LaunchButton } from './launch-button.tsx'
import { LaunchErrors } from './launch-errors.tsx'
import { LeftOut } from './left-out.tsx'
import { MessagePreview } from './message-preview.tsx'
import { RiskyAddresses } from './risky-addresses.tsx'

type Forecast = Output<'forecastCampaign'>
export type LaunchPreview = NonNullable<Forecast['launch']>

const route = getRouteApi('/shell/campaigns/$campaignId/review')

/** Shows the effects of a launch and the errors that prevent it, with a button that launches. */
export function CampaignReviewPage() {
  const { campaignId } = route.useParams()
  const campaign = useOperation('getCampaign', { campaignId })
  const forecast = useOperation('forecastCampaign', { campaignId })
  return (
    <Loaded query={campaign} skeleton={<FormSkeleton fields={3} />}>
      {campaign => (
        <Loaded query={forecast} skeleton={<FormSkeleton fields={3} />}>
          {forecast =>
            forecast.launch ? (
              <Review campaign={campaign} forecast={forecast} launch={forecast.launch} />
            ) : (
              <EmptyState title="This campaign has been launched">
                Its results show who was contacted and who replied.
                <Link to="/campaigns/$campaignId" params={{ campaignId }} className={buttonClass('primary')}>
                  Show results
                </Link>
              </EmptyState>
            )
          }
        </Loaded>
      )}
    </Loaded>
  )
}

type ReviewProps = { campaign: Output<'getCampaign'>; forecast: Forecast; launch: LaunchPreview }

function Review({ campaign, forecast, launch }: ReviewProps) {
  const { recipients, errors, warnings, incomplete, leftOut, domainWarnings } = launch
  const canEdit = usePermission('Campaign.EditCampaign')
  const excluded = (incomplete?.total ?? 0) + leftOut.reduce((sum, { count }) => sum + count, 0)
  const canLaunch = errors.length === 0 && recipients > 0
  return (
    <>
      <Metrics
        label="Audience"
        metrics={[
          { label: 'Will be contacted', value: recipients },
          { label: 'Left out', value: excluded },
          { label: 'Emails in total', value: forecast.emails },
        ]}
      />
      {canLaunch && <Timing campaign={campaign} forecast={forecast} />}
      <LaunchErrors campaign={campaign} errors={errors} recipients={recipients} />
      {warnings.length > 0 && (
        <Section title="Warnings" intro="You can launch anyway.">
          <WarningList warnings={warnings.map(({ message }) => toSentence(message))} />
        </Section>
      )}
      <LeftOut campaignId={campaign.id} launch={launch} />
      <RiskyAddresses launch={launch} />
      <MessagePreview campaign={campaign} />
      {domainWarnings.length > 0 && (
        <Section
          title="Domain warnings"
          intro="Emails may be rejected or land in spam. You can launch anyway."
          action={
            <Link to="/settings/domains" className={buttonClass()}>
              Check domains
            </Link>
          }
        >
          <WarningList warnings={domainWarnings} />
        </Section>
      )}
      {canEdit && (
        <div className="mt-8">
          {canLaunch ? (
            <LaunchButton campaign={campaign} recipients={recipients} />
          ) : (
            <p className="text-muted">You can launch the campaign once everything above is fixed.</p>
          )}
        </div>
      )}
    </>
  )
}

const WarningList = ({ warnings }: { warnings: string[] }) => (
  <ul className="grid max-w-[72ch] list-disc gap-1 pl-5 text-amber">
    {warnings.map(warning => (
      <li key={warning} className="wrap-anywhere">
        {warning}
      </li>
    ))}
  </ul>
)

function Timing({ campaign, forecast }: Omit<ReviewProps, 'launch'>) {
  const { firstSendAt, lastSendAt, endsAfterHorizon, timezone, bottleneck } = forecast
  const { id: campaignId, schedule } = campaign
  const link = (text: string) => (
    <Link
      to="/campaigns/$campaignId/sending"
      params={{ campaignId }}
      className="text-accent underline underline-offset-2"
    >
      {text}
    </Link>
  )
  return (
    <div className="mt-4 grid max-w-[72ch] gap-2">
      <p>
        {firstSendAt
          ? `If you launch now, the first email is sent on ${formatDateTimeIn(new Date(firstSendAt), timezone)}`
          : 'If you launch now, the first step starts as soon as the schedule allows'}
        {firstSendAt &&
          lastSendAt &&
          (endsAfterHorizon
            ? ', and the last more than half a year from now'
            : `, the last on ${formatDateTimeIn(new Date(lastSendAt), timezone)}`)}
        . {bottleneck.limit !== 'none' && limitTexts[bottleneck.limit]}
      </p>
      <p className="text-muted">
        {schedule
          ? 'Steps keep to the sending hours in each prospect’s time zone. '
          : 'No sending hours are set: emails may also be sent at night and on weekends. '}
        {link(schedule ? 'Change sending settings' : 'Set sending hours')}
      </p>
    </div>
  )
}
