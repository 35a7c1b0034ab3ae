import { normalizeName } from './csv-headers.ts'

/**
 * Recognizes columns that say who must not be contacted. Shared by server and browser.
 */

/** `optedOut`: yes means no contact. `consent`: no means no contact. */
export type OptOutColumn = 'optedOut' | 'consent'

const headers: Record<OptOutColumn | 'status', string> = {
  optedOut: `Opted Out, Opt Out, Email Opt Out, Has Opted Out Of Email, HasOptedOutOfEmail, Fax Opt Out, Do Not Contact,
    Do Not Email, Do Not Call, Do Not Mail, DNC, Unsubscribed, Is Unsubscribed, Unsubscribed from all email, Unsubscribe,
    Blacklisted, Blocklisted, Suppressed, Email Unsubscribed, Abgemeldet, Nicht kontaktieren, Keine Werbung,
    Désinscrit, Désabonné, Ne pas contacter, Dado de baja, No contactar`,
  consent: `Consent, Email Consent, Marketing Consent, GDPR Consent, Consent to contact, Opt In, Opted In, Email Opt In,
    Accepts Marketing, Accepts Email Marketing, Einwilligung, Consentement, Consentimiento`,
  status: `Status, Lead Status, Marketing Status, Email Marketing Status, Subscription Status, Email Status`,
}

const kindsByName = new Map(
  Object.entries(headers).flatMap(([kind, names]) =>
    names.split(',').map((name): [string, OptOutColumn | 'status'] => [normalizeName(name), kind as never]),
  ),
)

const yes = new Set(['true', 't', 'yes', 'y', '1', 'x', 'ja', 'wahr', 'oui', 'vrai', 'si', 'verdadero'])
const no = new Set(['false', 'f', 'no', 'n', '0', 'nein', 'falsch', 'non', 'faux', 'falso'])
/** Status values that other tools export for people who opted out. */
const optedOutPattern =
  /unsubscri|optedout|optout|donotcontact|donotemail|blacklist|blocklist|withdrawn|withdrew|revoked|denied|declined|refused|abgemeldet|desinscrit|desabonne/

/**
 * Returns the meaning of a column by its header. A column of statuses is recognized only if one of its values means
 * that somebody opted out.
 */
export function recognizeOptOutColumn(name: string, values: Iterable<string>): OptOutColumn | undefined {
  const key = normalizeName(name)
  const kind = kindsByName.get(key) ?? kindsByName.get(key.replace(/^(?:person|contact|lead|prospect)/, ''))
  if (kind !== 'status') return kind
  for (const value of values) if (optedOutPattern.test(normalizeName(value))) return 'optedOut'
  return undefined
}

/** Reports whether a value of the column means that nobody may contact the person. */
export function meansOptedOut(column: OptOutColumn, value: string): boolean {
  const key = normalizeName(value)
  if (/^not?(?=unsubscri|optedout|optout)/.test(key)) return false
  return optedOutPattern.test(key) || (column === 'optedOut' ? yes : no).has(key)
}
