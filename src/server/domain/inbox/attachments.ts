import { authorize, type Context, inAccount } from '../../kernel/context.ts'
import { AppError, conflict, invalid, notFound } from '../../kernel/errors.ts'
import { MAX_FILE_BYTES, unknownFileType } from '../../protocols/mime/file-limits.ts'
import { getParserThreads } from '../../protocols/mime/parser-threads.ts'
import { audit } from '../accounts/audit-log.ts'
import { isInScope } from '../accounts/permission-scope.ts'
import { readPieces } from '../messages/attachment-content.ts'
import { attachFiles, findFreeBytes, insertAttachment } from '../messages/stored-attachments.ts'
import { setDraftFiles } from '../messages/write-email-messages.ts'

const DETECTION_TIMEOUT_MS = 5_000

export type Attachment = { id: string; name: string; type: string; size: number }

/** Stores an upload, which a draft of the same user may use within a day. */
export async function createAttachment(
  ctx: Context,
  { name, content }: { name: string; content: Buffer },
): Promise<Attachment> {
  authorize(ctx, 'Inbox.CreateDraft')
  if (ctx.isReadOnly)
    throw new AppError('Forbidden', 'This token is read-only; an upload requires write access.')
  if (content.length === 0) throw invalid('', 'The body must be the content of the file.')
  if (content.length > MAX_FILE_BYTES) throw invalid('', 'The file must be at most 10 MB.')
  const type = await detectType(ctx.accountId, name, content)
  return inAccount(ctx.app.db.app, ctx.accountId, async sql => {
    const tx = { ...ctx, sql }
    if ((await findFreeBytes(sql, { isLocked: true })) < content.length)
      throw conflict('The storage for attachments is full. An admin can raise `maxAttachmentMegabytes`.')
    const file = await insertAttachment(sql, { name, type, content }, { userId: ctx.userId })
    await audit(tx, 'create', 'attachment', file.id)
    return file
  })
}

/** Detects the type in a worker thread, on a copy of the content. */
const detectType = async (accountId: string, name: string, content: Buffer): Promise<string> =>
  (await getParserThreads().run(
    accountId,
    () => ({ file: Uint8Array.from(content), name }),
    DETECTION_TIMEOUT_MS,
  )) ?? unknownFileType

/** Replaces the files of a draft with uploads; undefined keeps them. */
export async function setAttachments(
  { sql, userId }: Context,
  emailMessageId: string,
  ids: readonly string[] | undefined,
): Promise<void> {
  if (ids) await setDraftFiles(sql, emailMessageId, await attachFiles(sql, emailMessageId, { userId, ids }))
}

/** Opens a file of a message that the caller may read, or their own upload. Throws NotFound. */
export async function openAttachment(
  ctx: Context,
  attachmentId: string,
): Promise<Attachment & { pieces: AsyncIterable<Buffer> }> {
  authorize(ctx, 'Inbox.ReadInbox')
  const file = await inAccount(ctx.app.db.app, ctx.accountId, async sql => {
    const [row] = await sql<Attachment[]>`
      select a.id, a.name, a.type, a.size
        from attachments a
        left join email_messages m on m.account_id = a.account_id and m.id = a.email_message_id
       where a.account_id = ${ctx.accountId} and a.id = ${attachmentId}
         and (m.id is null and a.user_id = ${ctx.userId}
              or m.id is not null and ${isInScope({ ...ctx, sql }, 'Inbox.ReadInbox', sql`m.rep_id`)})`
    return row
  })
  if (!file) throw notFound('attachment')
  return { ...file, pieces: readPieces(ctx.app, ctx.accountId, file.id) }
}
