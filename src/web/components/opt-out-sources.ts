import type { Output } from '../../contract/index.ts'
import type { Person } from './person-name.ts'

type Source = Output<'listOptOuts'>['data'][number]['source']

export const sourceLabels: Record<Source, string> = {
  api: 'App or API',
  import: 'CSV import',
  cli: 'Command line',
  reply: 'Reply',
  unsubscribe_link: 'Unsubscribe link',
  unsubscribe_mail: 'Unsubscribe email',
  complaint: 'Spam complaint',
  call: 'Call',
  bounce: 'Bounced email',
  erasure: 'Erased person',
}

const addedByTeam: readonly Source[] = ['api', 'import', 'cli', 'erasure']

const isSource = (source: string | undefined): source is Source =>
  source !== undefined && Object.hasOwn(sourceLabels, source)

/** Returns a short label for why a person is on the Do Not Contact list. */
export function getOptOutLabel(source: string | undefined): string {
  if (source === 'bounce') return 'Bounced'
  if (source === 'complaint') return 'Complained'
  return isSource(source) && addedByTeam.includes(source) ? 'Do Not Contact' : 'Opted out'
}

/** Explains why a person is on the Do Not Contact list, and what can be done. */
export function explainOptOut({ optOutSource, email }: Person): string {
  if (optOutSource === 'bounce')
    return email
      ? `Emails to ${email} bounced. Correct the address to contact them again.`
      : 'Emails to their earlier address bounced.'
  if (optOutSource === 'complaint') return 'They reported an email as spam: nobody may contact them.'
  if (!optOutSource || !addedByTeam.includes(optOutSource))
    return 'They asked not to be contacted again: nobody may contact them.'
  return optOutSource === 'erasure'
    ? 'They were erased and may not be contacted again.'
    : 'A member or an import put them on the Do Not Contact list: nobody may contact them.'
}
