import { createRoute, lazyRouteComponent } from '@tanstack/react-router'
import { prefetch, prefetchPage } from '../api.ts'
import { isProspectStatus, type ProspectStatus } from '../components/prospect-statuses.ts'
import { isPeriod, type Period } from '../pages/campaigns/result-period.ts'
import { parseCampaignsSearch, toCampaignsInput } from '../pages/campaigns/search-params.ts'
import { shell } from './shell.tsx'

const campaigns = createRoute({
  getParentRoute: () => shell,
  path: 'campaigns',
  validateSearch: parseCampaignsSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.queryClient, 'listCampaigns', toCampaignsInput(deps)),
  component: lazyRouteComponent(() => import('../pages/campaigns/campaigns.tsx'), 'CampaignsPage'),
})
const campaign = createRoute({
  getParentRoute: () => shell,
  path: 'campaigns/$campaignId',
  loader: ({ context, params }) => {
    prefetch(context.queryClient, 'getCampaign', params)
    prefetch(context.queryClient, 'getCampaignStats', params)
  },
  component: lazyRouteComponent(() => import('../pages/campaigns/campaign-frame.tsx'), 'CampaignFrame'),
})
const results = createRoute({
  getParentRoute: () => campaign,
  path: '/',
  validateSearch: ({ period }): { period?: Period } =>
    isPeriod(period) ? { period: Number(period) as Period } : {},
  component: lazyRouteComponent(() => import('../pages/campaigns/results.tsx'), 'CampaignResultsPage'),
})
const steps = createRoute({
  getParentRoute: () => campaign,
  path: 'steps',
  validateSearch: ({ step }): { step?: number } =>
    Number.isInteger(step) && Number(step) > 0 ? { step: Number(step) } : {},
  component: lazyRouteComponent(() => import('../pages/campaigns/steps-page.tsx'), 'CampaignStepsPage'),
})
const prospects = createRoute({
  getParentRoute: () => campaign,
  path: 'prospects',
  validateSearch: ({ status }): { status?: ProspectStatus } => (isProspectStatus(status) ? { status } : {}),
  loaderDeps: ({ search }) => search,
  loader: ({ context, params, deps }) =>
    prefetchPage(context.queryClient, 'listCampaignProspects', { ...params, ...deps }),
  component: lazyRouteComponent(() => import('../pages/campaigns/prospects.tsx'), 'ProspectsPage'),
})
const sending = createRoute({
  getParentRoute: () => campaign,
  path: 'sending',
  loader: ({ context, params }) => {
    prefetchPage(context.queryClient, 'listReps', {})
    prefetchPage(context.queryClient, 'listMailboxes', {})
    prefetch(context.queryClient, 'forecastCampaign', params)
  },
  component: lazyRouteComponent(() => import('../pages/campaigns/sending.tsx'), 'CampaignSendingPage'),
})
const review = createRoute({
  getParentRoute: () => campaign,
  path: 'review',
  loader: ({ context, params }) => {
    // The user may have fixed launch errors on another page.
    void context.queryClient.invalidateQueries({ queryKey: ['forecastCampaign'] })
    prefetch(context.queryClient, 'forecastCampaign', params)
  },
  component: lazyRouteComponent(() => import('../pages/campaigns/review.tsx'), 'CampaignReviewPage'),
})

export const campaignRoutes = [campaigns, campaign.addChildren([results, steps, prospects, sending, review])]
