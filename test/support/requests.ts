import { type OperationName, operations, type RawInput } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'

/** A request as it goes over the wire; `path` begins after /v1. */
export type RestRequest = { method: string; path: string; body?: Record<string, unknown> }

/** The operation's flat input as path, query and body. */
export function restRequest<N extends OperationName>(name: N, input: RawInput<N>): RestRequest {
  const { method, path }: Operation = operations[name]
  const rest = new Map(Object.entries(input))
  const filled = path.replace(/\{(\w+)\}/g, (_whole, field: string) => {
    const value = String(rest.get(field))
    rest.delete(field)
    return encodeURIComponent(value)
  })
  if (method !== 'GET' && method !== 'DELETE') {
    return { method, path: filled, body: Object.fromEntries(rest) }
  }
  const query = new URLSearchParams()
  for (const [field, value] of rest) {
    for (const one of [value].flat()) if (one !== undefined) query.append(field, String(one))
  }
  return { method, path: query.size > 0 ? `${filled}?${query}` : filled }
}
