import { type App, inAccount } from '../../kernel/context.ts'
import { currentAccount, pipeline, type Sql } from '../../kernel/db/database.ts'

// The content of attachments is stored in the database. Only these functions would change for an object store.

const PIECE_BYTES = 256 * 1024

/** Stores the content of an attachment, in the transaction that stores its row. */
export async function writeContent(tx: Sql, attachmentId: string, content: Uint8Array): Promise<void> {
  const pieces = Array.from({ length: Math.ceil(content.length / PIECE_BYTES) }, (_, index) =>
    Buffer.from(
      content.buffer,
      content.byteOffset + index * PIECE_BYTES,
      Math.min(PIECE_BYTES, content.length - index * PIECE_BYTES),
    ),
  )
  await pipeline(
    ...pieces.map(
      (bytes, index) => tx`
        insert into attachment_pieces (account_id, attachment_id, number, bytes)
        values (current_account_id(), ${attachmentId}, ${index}, ${bytes})`,
    ),
  )
}

/** Reads the whole content; returns undefined if it was deleted. */
export async function readContent(
  tx: Sql,
  { id, size }: { id: string; size: number },
): Promise<Buffer | undefined> {
  const pieces = await tx<{ bytes: Buffer }[]>`
    select bytes
      from attachment_pieces
     where account_id = ${currentAccount(tx)} and attachment_id = ${id}
     order by number`
  const content = Buffer.concat(pieces.map(({ bytes }) => bytes))
  return content.length === size ? content : undefined
}

/** Reads the content piece by piece, each in its own transaction, so that a slow reader keeps no transaction open. */
export async function* readPieces(app: App, accountId: string, id: string): AsyncGenerator<Buffer> {
  for (let number = 0; ; number += 1) {
    const [piece] = await inAccount(
      app.db.app,
      accountId,
      tx => tx<{ bytes: Buffer }[]>`
        select bytes
          from attachment_pieces
         where account_id = ${accountId} and attachment_id = ${id} and number = ${number}`,
    )
    if (!piece) return
    yield piece.bytes
  }
}
