import { canonicalDomain } from '../../../protocols/identity/domain.ts'

/** Returns an http or https URL, the only kind that is safe as a link on the company's page; null for anything else. */
export function parseWebsite(text: string | null | undefined): string | null {
  if (!text || !canonicalDomain(text)) return null
  const url = /^https?:\/\//i.test(text.trim()) ? text.trim() : `https://${text.trim()}`
  return URL.canParse(url) ? new URL(url).href : null
}
