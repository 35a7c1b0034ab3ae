import type { OperationEntry } from './open-api.ts'
import type { SampleRequest } from './samples.ts'

/** The values of a request form, as typed. */
export type Draft = { values: Record<string, string>; body: string }

/** Returns a form with the example's body. Parameters are empty, because a reader's account lacks the example's IDs. */
export const createDraft = ({ body }: OperationEntry): Draft => ({
  values: {},
  body: body ? JSON.stringify(body.example ?? {}, null, 2) : '',
})

/**
 * Converts a form to a request. `hasExamples` fills empty path parameters with their examples. Throws an error to show
 * to the reader if the body is not valid JSON.
 */
export function toRequest(
  { method, path, parameters, body }: OperationEntry,
  draft: Draft,
  { hasExamples = false }: { hasExamples?: boolean } = {},
): SampleRequest {
  const value = (name: string) => (draft.values[name] ?? '').trim()
  const filled = path.replace(/\{(\w+)\}/g, (_whole, name: string) => {
    const example = parameters.find(parameter => parameter.name === name)?.schema.examples?.[0]
    return encodeURIComponent(value(name) || (hasExamples ? String(example ?? name) : ''))
  })
  const listFilled = (place: string) =>
    parameters
      .filter(parameter => parameter.in === place && value(parameter.name) !== '')
      .map(({ name }): [string, string] => [name, value(name)])
  const query = new URLSearchParams(listFilled('query')).toString()
  return {
    method,
    path: query ? `${filled}?${query}` : filled,
    headers: Object.fromEntries(listFilled('header').map(([name, text]) => [name.toLowerCase(), text])),
    ...(body && draft.body.trim() !== '' && { body: parseBody(draft.body) }),
  }
}

function parseBody(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    throw new Error('The body is not valid JSON yet.')
  }
}
