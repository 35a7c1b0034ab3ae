import type { Pool } from '../../server/kernel/db/database.ts'
import { hashPassword } from '../../server/protocols/passwords/hash-password.ts'
import { accounts, demoPassword, users } from '../data/accounts.ts'
import { getAccountId, getUserId } from './seed-context.ts'

const allAccounts = Object.values(accounts)

/**
 * Creates the demo's accounts, users and members where they are missing. Throws when the database has other accounts,
 * because the demo's password is public.
 */
export async function seedUsers(auth: Pool): Promise<void> {
  const found = await auth<{ id: string; name: string }[]>`select id, name from accounts order by created_at`
  const ids = allAccounts.map(({ key }) => getAccountId(key))
  const otherAccount = found.find(({ id }) => !ids.includes(id))
  if (otherAccount) {
    throw new Error(
      `This database contains an account that is not part of the demo (${otherAccount.name}). The demo's password is public, so use a separate folder or database: \`--demo --data DIR\`.`,
    )
  }
  if (found.length === allAccounts.length) return
  const passwordHash = await hashPassword(demoPassword)
  await auth.begin(async tx => {
    await tx`
      insert into accounts ${tx.rows(
        allAccounts.map(({ key, name, timezone, country, postalAddress, optOutLine }) => ({
          id: getAccountId(key),
          name,
          timezone,
          default_country: country,
          postal_address: postalAddress,
          opt_out_line: optOutLine,
          assistants_may_request_calls: true,
          unsubscribe_words: 'opt_out',
          // One in twenty simulated recipients bounces and one complains, which would pause real mailboxes.
          max_bounce_percent: 100,
          max_complaint_percent: 100,
        })),
      )}
      on conflict do nothing`
    await tx`
      insert into users ${tx.rows(
        users.map(({ email, name }) => ({
          id: getUserId(email),
          email,
          name,
          password_hash: passwordHash,
          email_verified_at: new Date(),
        })),
      )}
      on conflict do nothing`
    await tx`
      insert into members ${tx.rows(
        // In order, because a user of both accounts starts in the one joined first.
        allAccounts.flatMap(({ key, members }, index) =>
          members.map(([email, role]) => ({
            account_id: getAccountId(key),
            user_id: getUserId(email),
            role,
            created_at: new Date(Date.now() + index),
          })),
        ),
      )}
      on conflict do nothing`
  })
}
