import { cleanText } from './text.ts'

/** LinkedIn's rules for profile names, which may contain non-ASCII letters, digits, symbols and emoji. */
const slugPattern = /^(?:[\w-]|[^\p{ASCII}\p{C}\p{Z}]|\u200d){3,100}$/u

/** A member's internal ID instead of a profile name. Unlike names, it is case-sensitive. */
const memberIdPattern = /^AC[A-Za-z]AA[\w-]{20,}$/

/** Returns whether a profile's URL contains a member's ID instead of a name. */
export const hasMemberId = (url: string): boolean => memberIdPattern.test(getSlug(url) ?? '')

/** Returns the name or ID in the canonical URL of a profile. */
export function getSlug(url: string): string | undefined {
  const encoded = /\/in\/([^/]+)$/.exec(url)?.[1]
  return encoded && decodeURIComponent(encoded)
}

/** LinkedIn's placeholder for all hidden profiles. If it identified a person, strangers would be merged. */
const placeholderSlugs = new Set(['unavailable'])

/**
 * Returns `https://www.linkedin.com/in/<name>` for any spelling of a profile's URL: without a scheme; with a
 * country or mobile host, a locale suffix, a query or percent-encoding; or in the old `/pub/` form if its redirect
 * is certain. Returns undefined for anything else: company pages, and pages of Sales Navigator and Recruiter, whose
 * IDs don't occur in public URLs.
 */
export function canonicalLinkedin(text: string): string | undefined {
  const path = /^(?:https?:)?(?:\/\/)?(?:[a-z0-9-]+\.)*linkedin\.com\.?(?::443|:80)?\/+([^?#\s]+)/i.exec(
    cleanText(text, 2048) ?? '',
  )?.[1]
  const slug = path && findSlug(path.split(/\/+/))
  return slug && slugPattern.test(slug) && !placeholderSlugs.has(slug)
    ? `https://www.linkedin.com/in/${encodeURIComponent(slug)}`
    : undefined
}

function findSlug(segments: string[]): string | undefined {
  const [kind, name, ...rest] = stripPathPrefix(segments)
  if (!kind || !name) return undefined
  if (kind.toLowerCase() === 'in') return normalizeSlug(name)
  // /pub/jane-doe/a7/576/b50 redirects to /in/jane-doe-b50576a7. The padding of shorter groups is not documented.
  const [a, b, c] = rest
  return kind.toLowerCase() === 'pub' &&
    /^\w{1,3}$/.test(a ?? '') &&
    /^\w{3}$/.test(b ?? '') &&
    /^\w{3}$/.test(c ?? '')
    ? normalizeSlug(`${name}-${c}${b}${a}`)
    : undefined
}

/** Removes the prefixes of links in LinkedIn's emails (`/comm/in/…`) and mobile pages (`/mwlite/profile/in/…`). */
const stripPathPrefix = (segments: string[]): string[] =>
  segments.slice(segments.findIndex(segment => !/^(?:comm|mwlite|profile|public-profile)$/i.test(segment)))

function normalizeSlug(encoded: string): string | undefined {
  const slug = decodeSlug(encoded)
  if (!slug) return undefined
  return memberIdPattern.test(slug) ? slug : cleanText(slug, 400)?.toLowerCase().normalize('NFC')
}

/** Decodes a slug, twice if it still contains a percent sign: some exports encode it twice, and slugs have none. */
function decodeSlug(encoded: string): string | undefined {
  try {
    const once = decodeURIComponent(encoded)
    return once.includes('%') ? decodeURIComponent(once) : once
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
