import { createContext, use } from 'react'
import type { OpenApiDocument, ReferenceEntry } from './open-api.ts'

type Reference = {
  document: OpenApiDocument
  entries: ReferenceEntry[]
  /** The reader's API token; kept in memory only. */
  token: string
  setToken: (token: string) => void
}

export const ReferenceContext = createContext<Reference | null>(null)

export function useReference(): Reference {
  const reference = use(ReferenceContext)
  if (!reference) throw new Error('useReference must be used inside ReferencePage.')
  return reference
}
