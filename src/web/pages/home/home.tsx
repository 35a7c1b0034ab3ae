import { useOperation } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page } from '../../ui/page.tsx'
import { TableSkeleton } from '../../ui/skeleton.tsx'
import { launchedCampaignsInput } from './launched-campaigns.ts'
import { Setup } from './setup.tsx'
import { Today } from './today.tsx'

/** Shows the steps to the first campaign or, after its launch, everything that needs the user's attention. */
export function HomePage() {
  const launched = useOperation('listCampaigns', launchedCampaignsInput)
  const isStarted = launched.data && launched.data.data.length > 0
  return (
    <Page
      title="Home"
      intro={
        isStarted === false
          ? 'A few steps to your first campaign.'
          : 'Everything that needs your attention, and your results for the last 7 days.'
      }
    >
      <Loaded query={launched} skeleton={<TableSkeleton />}>
        {() => (isStarted ? <Today /> : <Setup />)}
      </Loaded>
    </Page>
  )
}
