import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { Section } from '../../ui/page.tsx'
import { toSentence } from '../../ui/sentence.ts'
import type { LaunchPreview } from './review.tsx'

type Props = {
  campaign: Output<'getCampaign'>
  faults: LaunchPreview['faults']
  recipients: number
}

/** Lists everything that prevents a launch, each with a link to where it is fixed. */
export function LaunchFaults({ campaign: { id: campaignId, repIds }, faults, recipients }: Props) {
  if (faults.length === 0 && recipients > 0) return null
  const toLink = (path: string) => {
    if (path.startsWith('account.'))
      return { to: '/settings/account', label: 'Open account settings' } as const
    if (path.startsWith('steps'))
      return { to: '/campaigns/$campaignId/steps', params: { campaignId }, label: 'Edit steps' } as const
    if (path === 'repIds' && repIds.length > 0)
      return { to: '/settings/senders', label: 'Open senders' } as const
    return { to: '/campaigns/$campaignId/sending', params: { campaignId }, label: 'Choose reps' } as const
  }
  return (
    <Section title="Fix before launching">
      <ul className="grid gap-2">
        {faults.map(({ path, message }) => {
          const { label, ...link } = toLink(path)
          return (
            <Fault key={`${path} ${message}`} text={toSentence(message)}>
              <Link {...link} className={linkClass}>
                {label}
              </Link>
            </Fault>
          )
        })}
        {recipients === 0 && (
          <Fault text="Nobody would be contacted. Add people who may be contacted and have every value that the steps use.">
            <Link to="/campaigns/$campaignId/prospects" params={{ campaignId }} className={linkClass}>
              Add people
            </Link>
          </Fault>
        )}
      </ul>
    </Section>
  )
}

const linkClass = 'shrink-0 text-accent underline underline-offset-2'

const Fault = ({ text, children }: { text: string; children: React.ReactNode }) => (
  <li className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 rounded-control border border-line bg-surface px-4 py-2.5">
    <span className="max-w-[72ch]">{text}</span>
    {children}
  </li>
)
