import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type ConsentKind, formatCountryChoice, formatCountryList, formatKinds } from './consent-labels.ts'

export type Consent = Output<'listConsents'>['data'][number]

/** Lists the countries whose law requires consent, as far as Overture knows. */
export function ConsentRules() {
  const query = useOperation('getCallPolicies', {})
  return (
    <details className="mb-5 max-w-[72ch] text-sm">
      <summary className="cursor-pointer rounded-control text-muted hover:text-text">
        Countries that require consent
      </summary>
      <div className="mt-3 grid gap-3">
        <Loaded query={query} skeleton={<Skeleton className="h-24" />}>
          {({ data }) => (
            <DescriptionList
              items={Object.fromEntries(
                data.flatMap(({ countries, consent }) =>
                  consent
                    ? [[`${capitalize(formatKinds(consent))}: ${formatCountryList(countries)}`, ' ']]
                    : [],
                ),
              )}
            />
          )}
        </Loaded>
        <p className="text-muted">
          The country of the number decides. Overture refuses calls without the consent that the country
          requires. For other countries it knows of no requirement: check the local law before you call. This
          is not legal advice.
        </p>
      </div>
    </details>
  )
}

const capitalize = (text: string): string => text.charAt(0).toUpperCase() + text.slice(1)

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
    <p className="mb-4 flex max-w-[72ch] flex-wrap items-center gap-2">
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
    return `${country} Overture knows of no consent requirement there. Check the local law before you call.`
  const kinds = [...new Set(required.map(formatKinds))].join(', and ')
  return `${country} Calls by an AI voice require ${kinds} consent.`
}
