import type { Output } from '../../../contract/index.ts'
import type { Permission } from '../../../contract/permissions.ts'
import { useOperation } from '../../api.ts'

export type SetupStep = {
  title: string
  text: string
  isDone: boolean
  /** The page on which the step is done. */
  action: { to: string; search?: Record<string, string>; label: string }
  /** The permission that the step requires. */
  permission: Permission
}

type Domain = Output<'listDomains'>['data'][number]

const isHealthy = ({ checks }: Domain): boolean =>
  checks.length > 0 && checks.every(({ status }) => status === 'ok' || status === 'advice')

/** Returns the steps to the first campaign, in order, and whether each is done; undefined while they load. */
export function useSetupSteps(): { steps: SetupStep[] | undefined; query: SetupData['query'] } {
  const data = useSetupData()
  const { mailboxes, domains, account, persons, campaigns, campaign } = data
  const isLoading = !mailboxes || !domains || !account || !persons || !campaigns
  const [newest] = campaigns?.data ?? []
  if (isLoading || (newest && !campaign)) return { steps: undefined, query: data.query }
  const steps: SetupStep[] = [
    toMailboxStep(mailboxes.data),
    toDomainStep(domains.data),
    {
      title: 'Add your postal address',
      text: 'It appears below every campaign email, as most countries require by law.',
      isDone: Boolean(account.postalAddress),
      action: { to: '/settings/account', label: 'Add address' },
      permission: 'Account.ManageSettings',
    },
    {
      title: 'Import people',
      text: 'Campaigns contact the people in your list by email, LinkedIn or phone.',
      isDone: persons.data.length > 0,
      action: {
        to: '/people/import',
        ...(campaign?.status === 'draft' && { search: { campaignId: campaign.id } }),
        label: 'Import people',
      },
      permission: 'Prospect.EditProspect',
    },
    ...toCampaignSteps(campaign),
  ]
  return { steps, query: data.query }
}

type SetupData = ReturnType<typeof useSetupData>

/** Loads the data that shows whether the steps are done. `query` has the first error and retries the failed queries. */
function useSetupData() {
  const mailboxes = useOperation('listMailboxes', { limit: 100 })
  const domains = useOperation('listDomains', { limit: 100 })
  const account = useOperation('getAccount', {})
  const persons = useOperation('listPersons', { limit: 1 })
  const campaigns = useOperation('listCampaigns', { limit: 1 })
  const [newest] = campaigns.data?.data ?? []
  const campaign = useOperation(
    'getCampaign',
    { campaignId: newest?.id ?? '' },
    { isEnabled: newest !== undefined },
  )
  const all = [mailboxes, domains, account, persons, campaigns, campaign]
  const failed = all.filter(({ error }) => error)
  return {
    mailboxes: mailboxes.data,
    domains: domains.data,
    account: account.data,
    persons: persons.data,
    campaigns: campaigns.data,
    campaign: campaign.data,
    query: {
      error: failed[0]?.error ?? null,
      refetch: () => Promise.all(failed.map(({ refetch }) => refetch())),
    },
  }
}

function toMailboxStep(mailboxes: Output<'listMailboxes'>['data']): SetupStep {
  const isDone = mailboxes.some(({ status, pausedAt }) => status === 'active' && !pausedAt)
  const hasFailed = mailboxes.length > 0 && !isDone
  return {
    title: 'Connect a mailbox',
    text: hasFailed
      ? 'Your mailbox cannot send yet. The Senders page shows why.'
      : 'Overture sends from your own mailbox and stops a sequence when someone replies.',
    isDone,
    action: hasFailed
      ? { to: '/settings/senders', label: 'Show senders' }
      : { to: '/settings/senders/connect', label: 'Connect mailbox' },
    permission: 'Rep.EditRep',
  }
}

function toDomainStep(domains: Domain[]): SetupStep {
  const hasErrors = domains.some(({ checks }) => checks.some(({ status }) => status === 'error'))
  return {
    title: 'Check your domain',
    text:
      domains.length === 0
        ? 'Your domain appears once you connect a mailbox other than a test mailbox.'
        : hasErrors
          ? 'A DNS record is missing or wrong, so your emails may be treated as spam.'
          : 'The right DNS records keep your emails out of spam folders.',
    isDone: domains.length > 0 && domains.every(isHealthy),
    action: { to: '/settings/domains', label: hasErrors ? 'Fix records' : 'Check domain' },
    permission: 'Campaign.EditCampaign',
  }
}

function toCampaignSteps(campaign: Output<'getCampaign'> | undefined): SetupStep[] {
  const hasSteps = campaign !== undefined && campaign.steps.length > 0
  const page = campaign && `/campaigns/${campaign.id}`
  const permission = 'Campaign.EditCampaign' as const
  return [
    {
      title: 'Write your first sequence',
      text: 'A campaign is a sequence of emails, LinkedIn messages and calls.',
      isDone: hasSteps,
      action: page
        ? { to: `${page}/steps`, label: 'Add steps' }
        : { to: '/campaigns', label: 'New campaign' },
      permission,
    },
    {
      title: 'Launch the campaign',
      text: 'Add people to the campaign, and the first messages are sent within your limits.',
      isDone: campaign !== undefined && campaign.status !== 'draft',
      action: page
        ? { to: `${page}/review`, label: 'Review and launch' }
        : { to: '/campaigns', label: 'Show campaigns' },
      permission,
    },
  ]
}
