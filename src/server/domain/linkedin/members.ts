import type { Sql } from '../../kernel/db/database.ts'
import { canonicalLinkedin } from '../../protocols/identity/linkedin.ts'
import { clearPersonChatIds } from '../messages/write-linkedin-messages.ts'
import { selectPersonIds } from '../people/persons/person-aliases.ts'

/** A LinkedIn member by profile URL, member ID, or both. */
export type LinkedinMember = { linkedinUrl?: string | undefined; memberId?: string | undefined }

/** Finds the person for a member and stores the member ID. Returns undefined when the account has no such person. */
export async function findMember(
  tx: Sql,
  { linkedinUrl, memberId }: LinkedinMember,
): Promise<string | undefined> {
  const url = linkedinUrl && canonicalLinkedin(linkedinUrl)
  const idUrl = memberId && canonicalLinkedin(`linkedin.com/in/${memberId}`)
  // Waits for a concurrent erasure or merge of the person, which changes the person found below.
  await tx`
    select from persons
     where account_id = current_account_id()
       and id = any(array(select person_id
                            from linkedin_members
                           where account_id = current_account_id() and member_id = ${memberId ?? null}
                           union (${selectPersonIds(tx, 'linkedin', tx`array[${url ?? null}, ${idUrl ?? null}]::text[]`)})))
     order by id
       for key share`
  const [person] = await tx<{ id: string; hasMemberId: boolean }[]>`
    select person_id as id, true as "hasMemberId"
      from linkedin_members where account_id = current_account_id() and member_id = ${memberId ?? null}
    union all
    select id, false
      from (${selectPersonIds(tx, 'linkedin', tx`array[${url ?? null}, ${idUrl ?? null}]::text[]`)}) found
    order by 2 desc
    limit 1`
  if (person && memberId && !person.hasMemberId)
    await tx`
      insert into linkedin_members (account_id, member_id, person_id)
      values (current_account_id(), ${memberId}, ${person.id})
      on conflict do nothing`
  return person?.id
}

/** Finds the last known LinkedIn member ID of a person. */
export async function findMemberId(tx: Sql, personId: string): Promise<string | undefined> {
  const [member] = await tx<{ memberId: string }[]>`
    select member_id as "memberId" from linkedin_members
     where account_id = current_account_id() and person_id = ${personId}
     order by created_at desc
     limit 1`
  return member?.memberId
}

/**
 * Forgets the member ID and the chats of a person whose profile URL is about to change, so that nothing more is sent to
 * the previous profile.
 */
export async function forgetMember(tx: Sql, personId: string, linkedinUrl: string | null): Promise<void> {
  const changed = await tx`
    select from persons
     where account_id = current_account_id() and id = ${personId} and linkedin_url is distinct from ${linkedinUrl}`
  if (changed.count === 0) return
  await tx`delete from linkedin_members where account_id = current_account_id() and person_id = ${personId}`
  await clearPersonChatIds(tx, personId)
}
