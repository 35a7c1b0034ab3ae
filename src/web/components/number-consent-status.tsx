import type { Output } from '../../contract/index.ts'
import { useOperation } from '../api.ts'
import { Badge } from '../ui/badge.tsx'
import { type ConsentKind, formatCountryChoice, formatKinds } from './consent-labels.ts'

export type Consent = Output<'listConsents'>['data'][number]

/** Shows whether calls to this number require consent, and whether it is recorded. */
export function NumberConsentStatus({ phoneNumber, consents }: { phoneNumber: string; consents: Consent[] }) {
  const { data: rules } = useOperation('getCallPolicies', { phoneNumber })
  if (!rules) return null
  const { data, countries = [] } = rules
  const required = data.flatMap(({ consent }) => (consent ? [consent] : []))
  const kinds = consents.flatMap(({ kind, covers, withdrawnAt }) =>
    covers === 'ai_voice_marketing' && !withdrawnAt ? [kind] : [],
  )
  const isMissing = required.some(consent => !consent.some(kind => kinds.includes(kind)))
  return (
    <p className="flex max-w-[72ch] flex-wrap items-center gap-2">
      {required.length > 0 && (
        <Badge tone={isMissing ? 'amber' : 'green'}>
          {isMissing ? 'Consent missing' : 'Consent recorded'}
        </Badge>
      )}
      <span>{describeRules(countries, required)}</span>
    </p>
  )
}

function describeRules(countries: string[], required: ConsentKind[][]): string {
  if (countries.length === 0) return 'This number doesn’t belong to a country.'
  const country = `Country: ${formatCountryChoice(countries)}.`
  if (required.length === 0)
    return `${country} Overture doesn’t know of a consent requirement there. Check the local law before you call.`
  const kinds = [...new Set(required.map(formatKinds))].join(', and ')
  return `${country} Calls by an AI voice require ${kinds} consent.`
}
