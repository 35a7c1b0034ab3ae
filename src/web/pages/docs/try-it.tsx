import { type FormEvent, useState } from 'react'
import { Button } from '../../ui/button.tsx'
import { ErrorState } from '../../ui/error-state.tsx'
import { LongTextField, PasswordField, TextField } from '../../ui/field.tsx'
import { CodeBlock } from './code-block.tsx'
import type { OperationEntry } from './open-api.ts'
import { useReference } from './reference-context.ts'
import { createDraft, type Draft, toRequest } from './request-draft.ts'
import { languages, toSample } from './samples.ts'

type ApiResponse = { status: number; durationMs: number; text: string }

/** Shows a form that sends the operation with the reader's own token, and the same request as code. */
export function TryIt({ operation }: { operation: OperationEntry }) {
  const [draft, setDraft] = useState(() => createDraft(operation))
  return (
    <>
      <section className="mt-7">
        <h2 className="mb-2.5 font-semibold text-lg">Try it</h2>
        {operation.needsSession ? (
          <p>Only signed-in users can do this, in the web app. API tokens are rejected.</p>
        ) : (
          <RequestForm operation={operation} draft={draft} onChange={setDraft} />
        )}
      </section>
      {!operation.needsSession && <Samples operation={operation} draft={draft} />}
    </>
  )
}

type FormProps = { operation: OperationEntry; draft: Draft; onChange: (draft: Draft) => void }

function RequestForm({ operation, draft, onChange }: FormProps) {
  const { token, setToken } = useReference()
  const [response, setResponse] = useState<ApiResponse>()
  const [error, setError] = useState<Error>()
  const [isBusy, setBusy] = useState(false)
  const handleSubmit = async (event: FormEvent) => {
    event.preventDefault()
    setBusy(true)
    setResponse(undefined)
    setError(undefined)
    await sendDraft(operation, draft, token).then(setResponse, setError)
    setBusy(false)
  }
  const handleChange = (name: string, value: string) =>
    onChange({ ...draft, values: { ...draft.values, [name]: value } })
  return (
    <form onSubmit={handleSubmit} className="grid gap-4">
      <p className="text-muted">The request acts on your own account. The token stays on this page.</p>
      <PasswordField
        label="API token"
        required
        autoComplete="off"
        value={token}
        onChange={event => setToken(event.target.value.trim())}
      />
      {operation.parameters.map(({ name, required = false, schema }) => (
        <TextField
          key={name}
          label={name}
          isOptional={!required}
          required={required}
          placeholder={String(schema.examples?.[0] ?? '')}
          value={draft.values[name] ?? ''}
          onChange={event => handleChange(name, event.target.value)}
        />
      ))}
      {operation.body && (
        <LongTextField
          label="Body"
          rows={Math.min(16, draft.body.split('\n').length + 1)}
          spellCheck={false}
          value={draft.body}
          onChange={event => onChange({ ...draft, body: event.target.value })}
        />
      )}
      <div>
        <Button type="submit" look="primary" isBusy={isBusy}>
          Send request
        </Button>
      </div>
      {error && <ErrorState error={error} />}
      {response && (
        <div role="status" className="grid gap-2">
          <p className={response.status < 400 ? 'text-green' : 'text-red'}>
            Status {response.status}, {response.durationMs} ms
          </p>
          <CodeBlock label="Response" code={response.text} />
        </div>
      )}
    </form>
  )
}

async function sendDraft(operation: OperationEntry, draft: Draft, token: string): Promise<ApiResponse> {
  const { method, path, body, headers } = toRequest(operation, draft)
  const startedAt = performance.now()
  const response = await fetch(`/v1${path}`, {
    method,
    // Authenticates with the token only, not with the session of the web app.
    credentials: 'omit',
    headers: {
      ...headers,
      authorization: `Bearer ${token}`,
      ...(body !== undefined && { 'content-type': 'application/json' }),
    },
    body: body === undefined ? null : JSON.stringify(body),
  })
  const text = await response.text()
  return {
    status: response.status,
    durationMs: Math.round(performance.now() - startedAt),
    text: formatJson(text),
  }
}

function formatJson(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2)
  } catch {
    return text
  }
}

function Samples({ operation, draft }: { operation: OperationEntry; draft: Draft }) {
  const [language, setLanguage] = useState<(typeof languages)[number]>('curl')
  const code = toCode(operation, draft, language)
  return (
    <section className="mt-7">
      <h2 className="mb-2.5 font-semibold text-lg">Code</h2>
      <div className="mb-2 flex flex-wrap gap-2">
        {languages.map(name => (
          <Button
            key={name}
            size="small"
            look={name === language ? 'primary' : 'secondary'}
            aria-pressed={name === language}
            onClick={() => setLanguage(name)}
          >
            {name}
          </Button>
        ))}
      </div>
      <CodeBlock label={`Code in ${language}`} code={code} />
    </section>
  )
}

/** Returns the code or, while the edited body is not valid JSON, the error. */
function toCode(operation: OperationEntry, draft: Draft, language: (typeof languages)[number]): string {
  try {
    return toSample[language](toRequest(operation, draft, { hasExamples: true }))
  } catch (error) {
    return (error as Error).message
  }
}
