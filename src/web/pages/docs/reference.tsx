import { queryOptions, useQuery } from '@tanstack/react-query'
import { Link, Outlet, useParams } from '@tanstack/react-router'
import { useMemo, useState } from 'react'
import { request } from '../../api.ts'
import { Loaded } from '../../ui/loaded.tsx'
import { Page, Section } from '../../ui/page.tsx'
import { FormSkeleton } from '../../ui/skeleton.tsx'
import { EntryList } from './entry-list.tsx'
import { type OpenApiDocument, toEntries } from './open-api.ts'
import { Prose } from './prose.tsx'
import { ReferenceContext, useReference } from './reference-context.ts'

const documentQuery = queryOptions({
  queryKey: ['openapi.json'],
  queryFn: () => request<OpenApiDocument>('GET', '/openapi.json'),
  staleTime: Number.POSITIVE_INFINITY,
})

const guides: [file: string, title: string][] = [
  ['api-guide', 'API guide: twelve common integration tasks'],
  ['webhooks', 'Webhooks and events'],
  ['compatibility', 'Compatibility and deprecation'],
  ['mcp', 'AI assistants over MCP'],
  ['calls', 'Calls'],
  ['linkedin', 'LinkedIn'],
  ['reply-agent', 'Reply agent'],
]

/** Shows the API reference. It needs no session; requests carry the token that the reader enters. */
export function ReferencePage() {
  const query = useQuery(documentQuery)
  const { name } = useParams({ strict: false })
  return (
    <div className="mx-auto max-w-6xl px-4 pt-5 pb-12 wide:px-8">
      <header className="mb-6 flex flex-wrap items-center gap-x-4 gap-y-1">
        <Link to="/docs" className="flex items-center gap-2 font-semibold">
          <img src="/favicon.svg" alt="" className="size-5" />
          Overture API
        </Link>
        <Link to="/docs" hash="operations" className="text-accent underline wide:hidden">
          All operations
        </Link>
      </header>
      <Loaded query={query} skeleton={<FormSkeleton fields={6} />}>
        {document => <Reference document={document} isEntryOpen={name !== undefined} />}
      </Loaded>
    </div>
  )
}

function Reference({ document, isEntryOpen }: { document: OpenApiDocument; isEntryOpen: boolean }) {
  const [token, setToken] = useState('')
  const entries = useMemo(() => toEntries(document), [document])
  const context = useMemo(() => ({ document, entries, token, setToken }), [document, entries, token])
  return (
    <ReferenceContext value={context}>
      <div className="grid grid-cols-1 gap-8 wide:grid-cols-[17rem_minmax(0,1fr)]">
        <div
          id="operations"
          className={`wide:sticky wide:top-0 wide:block wide:max-h-dvh wide:self-start wide:overflow-y-auto wide:py-1 ${isEntryOpen ? 'hidden' : 'order-last wide:order-none'}`}
        >
          <EntryList entries={entries} />
        </div>
        <main className="min-w-0">
          <Outlet />
        </main>
      </div>
    </ReferenceContext>
  )
}

/** Introduces the API and links to the guides. */
export function IntroductionPage() {
  const { info } = useReference().document
  return (
    <Page title="API reference" intro={`Version ${info.version}`}>
      <Prose text={info.description} />
      <Section title="Guides">
        <ul className="grid gap-1">
          {guides.map(([file, title]) => (
            <li key={file}>
              <a href={`/docs/guides/${file}.md`} className="text-accent underline">
                {title}
              </a>
            </li>
          ))}
          <li>
            <a href="/v1/openapi.json" className="text-accent underline">
              OpenAPI document
            </a>
          </li>
        </ul>
      </Section>
    </Page>
  )
}
