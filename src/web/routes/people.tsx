import { createRoute, lazyRouteComponent, redirect } from '@tanstack/react-router'
import { prefetch, prefetchPage } from '../api.ts'
import { parseOptOutSearch, toListOptOutsInput } from '../pages/people/opt-out-search.ts'
import { parseImportSearch, parsePeopleSearch, toListPersonsInput } from '../pages/people/search-params.ts'
import { shell } from './shell.tsx'

const people = createRoute({
  getParentRoute: () => shell,
  path: 'people',
  validateSearch: parsePeopleSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.queryClient, 'listPersons', toListPersonsInput(deps)),
  component: lazyRouteComponent(() => import('../pages/people/people.tsx'), 'PeoplePage'),
})
const person = createRoute({
  getParentRoute: () => shell,
  path: 'people/$personId',
  loader: ({ context, params: { personId } }) => {
    prefetch(context.queryClient, 'getPerson', { personId })
    prefetchPage(context.queryClient, 'getPersonTimeline', { personId })
  },
  component: lazyRouteComponent(() => import('../pages/people/person.tsx'), 'PersonPage'),
})
const importPeople = createRoute({
  getParentRoute: () => shell,
  path: 'people/import',
  validateSearch: parseImportSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps: { campaignId } }) => {
    prefetch(context.queryClient, 'listCustomFields', { limit: 100 })
    if (campaignId) prefetch(context.queryClient, 'getCampaign', { campaignId })
  },
  component: lazyRouteComponent(() => import('../pages/people/import/import.tsx'), 'ImportPage'),
})
const company = createRoute({
  getParentRoute: () => shell,
  path: 'companies/$companyId',
  loader: ({ context, params: { companyId } }) => {
    prefetch(context.queryClient, 'getCompany', { companyId })
    prefetchPage(context.queryClient, 'listPersons', { companyId })
  },
  component: lazyRouteComponent(() => import('../pages/people/company.tsx'), 'CompanyPage'),
})
const optOuts = createRoute({
  getParentRoute: () => shell,
  path: 'people/do-not-contact',
  validateSearch: parseOptOutSearch,
  loaderDeps: ({ search }) => search,
  loader: ({ context, deps }) => prefetchPage(context.queryClient, 'listOptOuts', toListOptOutsInput(deps)),
  component: lazyRouteComponent(() => import('../pages/people/opt-outs.tsx'), 'OptOutsPage'),
})
/** The former URL of the Do Not Contact list. */
const dnc = createRoute({
  getParentRoute: () => shell,
  path: 'dnc',
  beforeLoad: () => {
    throw redirect({ to: '/people/do-not-contact', replace: true })
  },
})

export const peopleRoutes = [people, importPeople, person, company, optOuts, dnc]
