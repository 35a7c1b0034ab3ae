import { getRouteApi, Link, Outlet, useLocation, useNavigate } from '@tanstack/react-router'
import { useEffect, useRef } from 'react'
import { useOperation, usePermission } from '../../api.ts'
import { ProblemList, useProblemsAbout } from '../../components/problems.tsx'
import { Page } from '../../ui/page.tsx'
import { CampaignMenu } from './campaign-menu.tsx'
import { CampaignStatusBadge } from './campaign-status.tsx'
import { CampaignStatusButton } from './campaign-status-button.tsx'

const route = getRouteApi('/shell/campaigns/$campaignId')

/** Shows the header and the tabs of a campaign's pages. */
export function CampaignFrame() {
  const { campaignId } = route.useParams()
  const { data: campaign } = useOperation('getCampaign', { campaignId })
  const problems = useProblemsAbout('campaign', campaignId)
  const navigate = useNavigate()
  const canEdit = usePermission('Campaign.EditCampaign')
  const { pathname } = useLocation()
  const nav = useRef<HTMLElement>(null)
  const isDraft = campaign?.status === 'draft'
  // biome-ignore lint/correctness/useExhaustiveDependencies: the current tab depends on these values
  useEffect(() => {
    nav.current?.querySelector('[aria-current=page]')?.scrollIntoView({ block: 'nearest', inline: 'nearest' })
  }, [pathname, isDraft])
  return (
    <Page
      above={
        <Link to="/campaigns" className="text-accent underline-offset-2 hover:underline">
          Campaigns
        </Link>
      }
      title={campaign?.name ?? 'Campaign'}
      intro={
        campaign && (
          <>
            {campaign.description && <p className="mb-2">{campaign.description}</p>}
            <CampaignStatusBadge status={campaign.status} />
            {campaign.health && problems.length === 0 && <p className="mt-2 text-amber">{campaign.health}</p>}
          </>
        )
      }
      action={
        campaign &&
        canEdit && (
          <div className="flex flex-wrap gap-2">
            <CampaignMenu campaign={campaign} onDeleted={() => void navigate({ to: '/campaigns' })} />
            <CampaignStatusButton campaign={campaign} />
          </div>
        )
      }
    >
      <ProblemList problems={problems} />
      <nav ref={nav} aria-label="Campaign" className="mb-5 flex gap-1 overflow-x-auto border-line border-b">
        {(isDraft ? [...tabs, reviewTab] : tabs).map(({ to, label }) => (
          <Link
            key={to}
            to={to}
            params={{ campaignId }}
            activeOptions={{ exact: true, includeSearch: false }}
            className={tabClass}
          >
            {label}
          </Link>
        ))}
      </nav>
      <Outlet />
    </Page>
  )
}

const tabs = [
  { to: '/campaigns/$campaignId/steps', label: 'Steps' },
  { to: '/campaigns/$campaignId/prospects', label: 'People' },
  { to: '/campaigns/$campaignId/sending', label: 'Sending' },
  { to: '/campaigns/$campaignId', label: 'Results' },
] as const
const reviewTab = { to: '/campaigns/$campaignId/review', label: 'Review and launch' } as const

const tabClass =
  'whitespace-nowrap rounded-t-control border-transparent border-b-2 px-3 py-2 text-muted hover:text-text aria-[current=page]:border-accent aria-[current=page]:font-medium aria-[current=page]:text-text'
