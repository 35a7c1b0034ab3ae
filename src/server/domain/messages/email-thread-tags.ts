import type { Context } from '../../kernel/context.ts'
import { currentAccount, type Fragment, pipeline, type Sql } from '../../kernel/db/database.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { replaceInTags, type TagChange } from '../people/persons/person-tags.ts'

/** Locks a thread and returns its tags; returns undefined if the caller can't read the thread. */
export async function lockThreadTags(ctx: Context, threadId: string): Promise<string[] | undefined> {
  const [thread] = await ctx.sql<{ tags: string[] }[]>`
    select tags from email_threads t
     where account_id = ${ctx.accountId} and id = ${threadId} and ${isInScope(ctx, 'Inbox.ReadInbox', ctx.sql`t.rep_id`)}
       for update`
  return thread?.tags
}

/** Replaces the tags of a thread and of all its messages. The names must be spelled as in `tags`. */
export const setThreadTags = (tx: Sql, threadId: string, names: string[]): Promise<unknown> =>
  pipeline(
    tx`
      update email_threads set tags = ${names}, updated_at = now()
       where account_id = ${currentAccount(tx)} and id = ${threadId}`,
    tx`
      update email_messages set tags = ${names}, updated_at = now()
       where account_id = ${currentAccount(tx)} and thread_id = ${threadId}`,
    tx`
      delete from email_message_tags t
       using email_messages m, tags g
       where m.account_id = ${currentAccount(tx)} and m.thread_id = ${threadId}
         and t.account_id = m.account_id and t.id = m.id
         and g.account_id = t.account_id and g.id = t.tag_id and g.name <> all(${names})`,
    insertTagCopies(tx, tx`and m.thread_id = ${threadId}`),
  )

/** Renames a tag of threads, or removes it when `to` is null. */
export const replaceThreadTag = (tx: Sql, change: TagChange): Promise<unknown> =>
  pipeline(
    tx`
      update email_threads set tags = ${replaceInTags(tx, change)}, updated_at = now()
       where account_id = ${currentAccount(tx)}
         and id in (select thread_id from email_message_tags
                     where account_id = ${currentAccount(tx)} and tag_id = ${change.tagId})`,
    tx`
      update email_messages set tags = ${replaceInTags(tx, change)}, updated_at = now()
       where account_id = ${currentAccount(tx)}
         and id in (select id from email_message_tags
                     where account_id = ${currentAccount(tx)} and tag_id = ${change.tagId})`,
    tx`
      delete from email_message_tags
       where account_id = ${currentAccount(tx)} and tag_id = ${change.tagId} and ${change.to === null}`,
  )

/** Copies the tags of the selected messages `m` to the table that tag filters read. */
export const insertTagCopies = (tx: Sql, filter: Fragment) => tx`
  insert into email_message_tags (account_id, tag_id, id, thread_id, campaign_id, prospect_id, rep_id, kind, sent_at)
  select m.account_id, g.id, m.id, m.thread_id, m.campaign_id, m.prospect_id, m.rep_id, m.kind, m.sent_at
    from email_messages m
    join tags g on g.account_id = m.account_id and g.name = any(m.tags)
   where m.account_id = ${currentAccount(tx)} and m.tags <> '{}' ${filter}
  on conflict (account_id, tag_id, id) do nothing`
