import type { Context } from '../../kernel/context.ts'
import { asUser } from './users.ts'

/** The application or API token that acts in the user's name, in words; undefined when it is the user. */
export async function findActingApp(ctx: Context): Promise<string | undefined> {
  await asUser(ctx)
  const [found] = await ctx.sql<{ name: string }[]>`
    select name
      from (select 'token:' || id as actor, 'API token ' || name as name from api_tokens
            union all
            select 'oauth:' || id, client_name || ' (' || client_host || ')' from oauth_grants) own
     where actor = ${ctx.actor}`
  // With an identity provider in our place there is no grant here, only the client's id.
  return found?.name ?? /^oauth:(.+)$/s.exec(ctx.actor)?.[1]
}
