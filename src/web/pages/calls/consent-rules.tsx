import type { Output } from '../../../contract/index.ts'
import { useOperation } from '../../api.ts'
import { Badge } from '../../ui/badge.tsx'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { Skeleton } from '../../ui/skeleton.tsx'
import { type ConsentKind, formatCountryChoice, formatCountryList, formatKinds } from './consent-labels.ts'

export type Consent = Output<'listConsents'>['data'][number]

/** Where the law asks for consent, as far as the server knows it. */
export function ConsentRules() {
  const query = useOperation('getCallPolicies', {})
  return (
    <details className="mb-5 max-w-[72ch] text-sm">
      <summary className="cursor-pointer rounded-control text-muted hover:text-text">
        Where a consent is needed
      </summary>
      <div className="mt-3 grid gap-3">
        <Loaded query={query} skeleton={<Skeleton className="h-24" />}>
          {({ data }) => (
            <DescriptionList
              facts={Object.fromEntries(
                data.flatMap(({ countries, consent }) =>
                  consent ? [[`${capital(formatKinds(consent))}: ${formatCountryList(countries)}`, ' ']] : [],
                ),
              )}
            />
          )}
        </Loaded>
        <p className="text-muted">
          By the country of the number called. A call without the consent that its country asks for is
          refused. Overture knows no such law of other countries: look theirs up before you call there. This
          is no legal advice.
        </p>
      </div>
    </details>
  )
}

const capital = (words: string): string => words.charAt(0).toUpperCase() + words.slice(1)

/** Whether calls to this number need a consent, and have it. */
export function NumberConsentStatus({ phoneNumber, consents }: { phoneNumber: string; consents: Consent[] }) {
  const { data: rules } = useOperation('getCallPolicies', { phoneNumber })
  if (!rules) return null
  const { data, countries = [] } = rules
  const wanted = data.flatMap(({ consent }) => (consent ? [consent] : []))
  const kinds = consents.flatMap(({ kind, covers, withdrawnAt }) =>
    covers === 'ai_voice_marketing' && !withdrawnAt ? [kind] : [],
  )
  const isMissing = wanted.some(consent => !consent.some(kind => kinds.includes(kind)))
  return (
    <p className="mb-4 flex max-w-[72ch] flex-wrap items-center gap-2">
      {wanted.length > 0 && (
        <Badge tone={isMissing ? 'amber' : 'green'}>
          {isMissing ? 'consent is missing' : 'consent is there'}
        </Badge>
      )}
      <span>{describeRules(countries, wanted)}</span>
    </p>
  )
}

function describeRules(countries: string[], wanted: ConsentKind[][]): string {
  if (countries.length === 0) return 'The number belongs to no country.'
  const where = `Country: ${formatCountryChoice(countries)}.`
  if (wanted.length === 0)
    return `${where} Overture knows no law there that asks for consent. Look it up before you call.`
  const kinds = [...new Set(wanted.map(formatKinds))].join(', and ')
  return `${where} The law there asks for consent that is ${kinds} before an AI voice calls.`
}
