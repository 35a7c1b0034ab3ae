import type { Pool } from '../server/kernel/db/database.ts'
import { hashPassword } from '../server/protocols/passwords/hash-password.ts'
import { accounts, demoPassword, users } from './accounts.ts'
import { accountIdOf, userIdOf } from './teller.ts'

const all = Object.values(accounts)

/**
 * Makes the accounts and who may sign in to them; what is there stays. Refuses to mix with other accounts: everybody
 * knows the password.
 */
export async function writeSignIn(auth: Pool): Promise<void> {
  const found = await auth<{ id: string; name: string }[]>`select id, name from accounts order by created_at`
  const ids = all.map(({ key }) => accountIdOf(key))
  const foreign = found.find(({ id }) => !ids.includes(id))
  if (foreign) {
    throw new Error(
      `This database holds an account that is not of the demo (${foreign.name}), and everybody knows the demo's password. Give the demo a folder or database of its own: \`--demo --data DIR\`.`,
    )
  }
  if (found.length === all.length) return
  const passwordHash = await hashPassword(demoPassword)
  await auth.begin(async tx => {
    await tx`
      insert into accounts ${tx.rows(
        all.map(({ key, name, timezone, country, postalAddress, optOutLine }) => ({
          id: accountIdOf(key),
          name,
          timezone,
          default_country: country,
          postal_address: postalAddress,
          opt_out_line: optOutLine,
          assistants_may_request_calls: true,
          unsubscribe_words: 'opt_out',
        })),
      )}
      on conflict do nothing`
    await tx`
      insert into users ${tx.rows(
        users.map(({ email, name }) => ({
          id: userIdOf(email),
          email,
          name,
          password_hash: passwordHash,
          email_verified_at: new Date(),
        })),
      )}
      on conflict do nothing`
    await tx`
      insert into members ${tx.rows(
        // Joined one after the other, so that who is in both begins in the first.
        all.flatMap(({ key, members }, place) =>
          members.map(([email, role]) => ({
            account_id: accountIdOf(key),
            user_id: userIdOf(email),
            role,
            created_at: new Date(Date.now() + place),
          })),
        ),
      )}
      on conflict do nothing`
  })
}
