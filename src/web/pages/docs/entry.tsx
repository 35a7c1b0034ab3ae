import { getRouteApi } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import { Badge } from '../../ui/badge.tsx'
import { EmptyState } from '../../ui/empty-state.tsx'
import { Page } from '../../ui/page.tsx'
import { CodeBlock } from './code-block.tsx'
import { Field, Fields } from './fields.tsx'
import { type EventEntry, isOperation, type OperationEntry } from './open-api.ts'
import { Prose } from './prose.tsx'
import { useReference } from './reference-context.ts'
import { TryIt } from './try-it.tsx'

const route = getRouteApi('/docs/$name')

/** Shows one operation or webhook event. */
export function EntryPage() {
  const { name } = route.useParams()
  const entry = useReference().entries.find(each => each.name === name)
  if (!entry) {
    return (
      <Page title="Not found">
        <EmptyState title={`There is no operation or event “${name}”.`}>
          Search for it in the list of operations.
        </EmptyState>
      </Page>
    )
  }
  // A new operation starts with an empty form.
  return isOperation(entry) ? <Operation key={name} operation={entry} /> : <Event event={entry} />
}

function Operation({ operation }: { operation: OperationEntry }) {
  const { components } = useReference().document
  const { name, summary, description, method, path, permission, parameters, body, response } = operation
  return (
    <Page
      title={summary}
      intro={
        <span className="flex flex-wrap items-center gap-2">
          <Badge tone={method === 'GET' ? 'blue' : 'amber'}>{method}</Badge>
          <code className="wrap-anywhere font-mono text-sm">/v1{path}</code>
        </span>
      }
    >
      {description && <Prose text={description} />}
      <p className="mt-3 text-muted text-sm">
        Operation <code className="font-mono">{name}</code>, permission{' '}
        <code className="wrap-anywhere font-mono">{permission}</code>
      </p>
      {parameters.length > 0 && (
        <Part title="Parameters">
          <ul className="divide-y divide-line rounded-card border border-line bg-surface">
            {parameters.map(parameter => (
              <li key={parameter.name} className="px-3 py-2.5">
                <Field {...parameter} schemas={components.schemas} isRequired={parameter.required} />
              </li>
            ))}
          </ul>
        </Part>
      )}
      {body && (
        <Part title="Body">
          <Fields schema={body.schema} schemas={components.schemas} />
        </Part>
      )}
      <TryIt operation={operation} />
      <Part title="Response">
        <Fields schema={response.schema} schemas={components.schemas} />
        <div className="mt-3">
          <CodeBlock label="Example response" code={JSON.stringify(response.example, null, 2)} />
        </div>
      </Part>
    </Page>
  )
}

function Event({ event }: { event: EventEntry }) {
  const { components } = useReference().document
  return (
    <Page title={event.name} intro="Posted to webhooks and listed by listEvents.">
      <Part title="Body">
        <Fields schema={event.schema} schemas={components.schemas} />
      </Part>
      <Part title="Example">
        <CodeBlock label="Example event" code={JSON.stringify(event.example, null, 2)} />
      </Part>
    </Page>
  )
}

const Part = ({ title, children }: { title: string; children: ReactNode }) => (
  <section className="mt-7">
    <h2 className="mb-2.5 font-semibold text-lg">{title}</h2>
    {children}
  </section>
)
