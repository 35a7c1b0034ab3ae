import { Link } from '@tanstack/react-router'
import type { Output } from '../../../contract/index.ts'
import { Section } from '../../ui/page.tsx'
import { toSentence } from '../../ui/sentence.ts'
import type { LaunchPreview } from './review.tsx'

type Props = {
  campaign: Output<'getCampaign'>
  errors: LaunchPreview['errors']
  recipients: number
}

/** Lists everything that prevents a launch, each with a link to where it is fixed. */
export function LaunchErrors({ campaign: { id: campaignId, repIds }, errors, recipients }: Props) {
  if (errors.length === 0 && recipients > 0) return null
  const toLink = (path: string) => {
    // Only the server's administrator can change its settings.
    if (path === 'PUBLIC_URL') return undefined
    if (path.startsWith('account.'))
      return { label: 'Open account settings', target: { to: '/settings/account' } } as const
    if (path.startsWith('steps'))
      return {
        label: 'Edit steps',
        target: {
          to: '/campaigns/$campaignId/steps',
          params: { campaignId },
          search: toStepSearch(path),
        },
      } as const
    if (path === 'repIds' && repIds.length > 0)
      return { label: 'Open senders', target: { to: '/settings/senders' } } as const
    return {
      label: 'Choose reps',
      target: { to: '/campaigns/$campaignId/sending', params: { campaignId } },
    } as const
  }
  return (
    <Section title="Fix before launching">
      <ul className="grid gap-2">
        {errors.map(({ path, message }) => {
          const link = toLink(path)
          return (
            <LaunchError key={`${path} ${message}`} text={toSentence(message)}>
              {link && (
                <Link {...link.target} className={linkClass}>
                  {link.label}
                </Link>
              )}
            </LaunchError>
          )
        })}
        {recipients === 0 && (
          <LaunchError text="Nobody would be contacted. Add people who may be contacted and have every value that the steps use.">
            <Link to="/campaigns/$campaignId/prospects" params={{ campaignId }} className={linkClass}>
              Add people
            </Link>
          </LaunchError>
        )}
      </ul>
    </Section>
  )
}

/** Returns the search parameters that open the invalid step: `steps.3.call` is step 4. */
const toStepSearch = (path: string): { step?: number } => {
  const index = /^steps\.(\d+)/.exec(path)?.[1]
  return index === undefined ? {} : { step: Number(index) + 1 }
}

const linkClass = 'shrink-0 text-accent underline underline-offset-2'

const LaunchError = ({ text, children }: { text: string; children?: React.ReactNode }) => (
  <li className="flex flex-wrap items-baseline justify-between gap-x-6 gap-y-1 rounded-control border border-line bg-surface px-4 py-2.5">
    <span className="max-w-[72ch]">{text}</span>
    {children}
  </li>
)
