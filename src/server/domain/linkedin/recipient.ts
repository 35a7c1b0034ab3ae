import { type App, inAccount } from '../../kernel/context.ts'
import type { Sql } from '../../kernel/db/database.ts'
import { canonicalLinkedin, getSlug, hasMemberId } from '../../protocols/identity/linkedin.ts'
import type { OptOutIdentifier } from '../../protocols/identity/opt-out-identifier.ts'
import type { OptOutList } from '../people/opt-outs/erased-identifiers.ts'
import { findOptOutForEach, findPersonOptOut } from '../people/opt-outs/find-opt-outs.ts'
import { selectPersonIds } from '../people/persons/person-aliases.ts'
import type { ConnectedAccount } from './accounts.ts'
import { findMember, findMemberId } from './members.ts'
import { findProfile, type LinkedinFailure } from './unipile.ts'

/** The LinkedIn member to send to, with all known URLs of the profile. */
export type Recipient = { memberId: string; profileUrls: string[] }

/**
 * Finds the person's LinkedIn member without asking the provider. Returns undefined if the member ID isn't stored yet,
 * or if the person's URL contains a member ID: the public URL of the profile is then unknown and may be on the Do Not
 * Contact list.
 */
export async function findStoredRecipient(
  tx: Sql,
  { personId, linkedinUrl }: Pick<Person, 'personId' | 'linkedinUrl'>,
): Promise<Recipient | undefined> {
  if (linkedinUrl && hasMemberId(linkedinUrl)) return undefined
  const memberId = await findMemberId(tx, personId)
  return memberId === undefined ? undefined : toRecipient(memberId)
}

/** Looks up the member at the provider and stores the member ID. */
export async function lookUpRecipient(
  app: App,
  account: ConnectedAccount,
  linkedinUrl: string | null,
): Promise<Recipient | LinkedinFailure> {
  const slug = getSlug(linkedinUrl ?? '')
  if (!linkedinUrl || !slug) return { outcome: 'refused', reason: 'the person has no LinkedIn profile URL' }
  const profile = await findProfile(app, account, slug)
  if (!('memberId' in profile)) return profile
  const { memberId, publicIdentifier } = profile
  await inAccount(app.db.work, account.accountId, tx => findMember(tx, { memberId, linkedinUrl }))
  return toRecipient(memberId, publicIdentifier)
}

const toRecipient = (memberId: string, publicIdentifier?: string): Recipient => ({
  memberId,
  profileUrls: [memberId, publicIdentifier].flatMap(
    slug => (slug && canonicalLinkedin(`linkedin.com/in/${encodeURIComponent(slug)}`)) || [],
  ),
})

type Person = { personId: string; email: string | null; linkedinUrl: string | null; phone: string | null }

/**
 * Finds a Do Not Contact entry that blocks the person. Once the recipient is known, also finds entries for other URLs
 * of the profile and for other people who have one of them.
 */
export async function findRecipientOptOut(
  list: OptOutList,
  person: Person,
  recipient: Recipient | undefined,
): Promise<OptOutIdentifier | undefined> {
  const found = await findOptOutForEach(list, [
    { ...person, emails: person.email ? [person.email] : [] },
    ...(recipient?.profileUrls ?? []).map(linkedinUrl => ({ personId: undefined, linkedinUrl })),
  ])
  const optOut = found.find(entry => entry !== undefined)
  if (optOut || !recipient) return optOut
  const { sql } = list
  const others = await sql<{ id: string }[]>`
    select id
      from (select person_id as id
              from linkedin_members where account_id = current_account_id() and member_id = ${recipient.memberId}
             union ${selectPersonIds(sql, 'linkedin', sql`${recipient.profileUrls}::text[]`)}) owner
     where id <> ${person.personId}`
  for (const { id } of others) {
    const entry = await findPersonOptOut(list, id)
    if (entry) return entry
  }
  return undefined
}
