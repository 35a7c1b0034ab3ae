import { useOperation } from '../../api.ts'
import { formatCountryList, formatKinds } from '../../components/consent-labels.ts'
import { DescriptionList } from '../../ui/description-list.tsx'
import { Loaded } from '../../ui/loaded.tsx'
import { capitalize } from '../../ui/sentence.ts'
import { Skeleton } from '../../ui/skeleton.tsx'

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
          The rules of the number’s country apply. Overture refuses calls without the consent that the country
          requires. Overture knows of no requirement in other countries: check the local law before you call.
          This is not legal advice.
        </p>
      </div>
    </details>
  )
}
