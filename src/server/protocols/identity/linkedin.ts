import { cleanText } from './text.ts'

/** LinkedIn's own bounds of a profile's name; beyond ASCII it allows letters, digits, signs and emoji. */
const slugPattern = /^(?:[\w-]|[^\p{ASCII}\p{C}\p{Z}]|\u200d){3,100}$/u

/** A member's internal id in place of a chosen name. Unlike a name it tells upper from lower case. */
const memberIdPattern = /^AC[A-Za-z]AA[\w-]{20,}$/

/** Where LinkedIn sends everybody whose profile can't be seen: as an identity it would merge strangers. */
const nobody = new Set(['unavailable'])

/**
 * `https://www.linkedin.com/in/<name>` from any spelling of a profile's address: no scheme, country and mobile hosts,
 * locale suffix, query, percent-encoding, and the old `/pub/` form where its redirect is certain. Undefined for
 * what is no public profile: companies, Sales Navigator and Recruiter pages, whose ids no public address shares.
 */
export function canonicalLinkedin(text: string): string | undefined {
  const path = /^(?:https?:)?(?:\/\/)?(?:[a-z0-9-]+\.)*linkedin\.com\.?(?::443|:80)?\/+([^?#\s]+)/i.exec(
    cleanText(text, 2048) ?? '',
  )?.[1]
  const slug = path && slugOf(path.split(/\/+/))
  return slug && slugPattern.test(slug) && !nobody.has(slug)
    ? `https://www.linkedin.com/in/${encodeURIComponent(slug)}`
    : undefined
}

function slugOf(segments: string[]): string | undefined {
  const [kind, name, ...rest] = withoutDetour(segments)
  if (!kind || !name) return undefined
  if (kind.toLowerCase() === 'in') return normalizeSlug(name)
  // /pub/jane-doe/a7/576/b50 leads to /in/jane-doe-b50576a7. How shorter groups were padded is not documented.
  const [a, b, c] = rest
  return kind.toLowerCase() === 'pub' &&
    /^\w{1,3}$/.test(a ?? '') &&
    /^\w{3}$/.test(b ?? '') &&
    /^\w{3}$/.test(c ?? '')
    ? normalizeSlug(`${name}-${c}${b}${a}`)
    : undefined
}

/** Links in LinkedIn's own mails (`/comm/in/…`) and its light mobile pages (`/mwlite/profile/in/…`). */
const withoutDetour = (segments: string[]): string[] =>
  segments.slice(segments.findIndex(segment => !/^(?:comm|mwlite|profile|public-profile)$/i.test(segment)))

function normalizeSlug(encoded: string): string | undefined {
  const slug = decode(encoded)
  if (!slug) return undefined
  return memberIdPattern.test(slug) ? slug : cleanText(slug, 400)?.toLowerCase().normalize('NFC')
}

/** Exports exist that encoded a slug twice; a slug itself has no percent sign. */
function decode(encoded: string): string | undefined {
  try {
    const once = decodeURIComponent(encoded)
    return once.includes('%') ? decodeURIComponent(once) : once
  } catch (error) {
    if (error instanceof URIError) return undefined
    throw error
  }
}
