import type { Context } from '../../kernel/context.ts'
import { asUser } from './users.ts'

/** Returns the name of the application or API token that acts for the user; undefined when the user acts directly. */
export async function findActingApp(ctx: Context): Promise<string | undefined> {
  await asUser(ctx)
  const [found] = await ctx.sql<{ name: string }[]>`
    select name
      from (select 'token:' || id as actor, 'API token ' || name as name from api_tokens
            union all
            select 'oauth:' || id, client_name || ' (' || client_host || ')' from oauth_grants) own
     where actor = ${ctx.actor}`
  // Tokens of an external authorization server have no grant here, only a client ID.
  return found?.name ?? /^oauth:(.+)$/s.exec(ctx.actor)?.[1]
}
