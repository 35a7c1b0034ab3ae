import { hash } from 'node:crypto'
import { Readable } from 'node:stream'
import type { FastifyError, FastifyInstance } from 'fastify'
import { id } from '../../../contract/page.ts'
import { runOnce, toIdempotencyKey } from '../../idempotency.ts'
import type { App, Context } from '../../kernel/context.ts'
import { AppError, invalid, notFound } from '../../kernel/errors.ts'
import { limitConcurrency } from './concurrency-limit.ts'
import { sendError } from './errors.ts'
import { admit, admitLink, type Guards, readIdempotencyKey, toContext } from './routes.ts'
import { sendResponse } from './send-response.ts'

type Attachment = { id: string; name: string; type: string; size: number }

export type Attachments = {
  maxBytes: number
  /** Stores the caller's upload. */
  create: (ctx: Context, file: { name: string; content: Buffer }) => Promise<Attachment>
  /** Opens a file that the caller may read. Throws NotFound. */
  open: (ctx: Context, attachmentId: string) => Promise<Attachment & { pieces: AsyncIterable<Buffer> }>
}

/** Low, because each upload is held in memory. */
const MAX_UPLOADS = 10
const MAX_UPLOADS_PER_ACCOUNT = 4
const MAX_DOWNLOADS = 16
const UPLOAD_TIMEOUT_MS = 2 * 60_000
const DOWNLOAD_TIMEOUT_MS = 15 * 60_000
const MAX_NAME_LENGTH = 1_000

/**
 * Mounts the upload of files for drafts, `POST /v1/inbox/email/attachments?name=…`, and the download of any
 * file.
 */
export async function mountAttachments(
  server: FastifyInstance,
  app: App,
  guards: Guards,
  { maxBytes, create, open }: Attachments,
): Promise<void> {
  const acquireUpload = limitConcurrency(
    MAX_UPLOADS,
    'Too many files are being uploaded. Try again in a moment.',
    MAX_UPLOADS_PER_ACCOUNT,
  )
  const acquireDownload = limitConcurrency(
    MAX_DOWNLOADS,
    'Too many files are being downloaded. Try again in a moment.',
  )
  await server.register(async scope => {
    scope.removeAllContentTypeParsers()
    scope.addContentTypeParser('*', { parseAs: 'buffer', bodyLimit: maxBytes }, (_request, body, done) =>
      done(null, body),
    )
    scope.setErrorHandler((error, request, reply) => sendError(app.log, toBodyError(error), request, reply))
    scope.post(
      '/v1/inbox/email/attachments',
      {
        bodyLimit: maxBytes,
        handlerTimeout: UPLOAD_TIMEOUT_MS,
        config: { name: 'createAttachment' },
        // Runs before the body is read, so that a rejected upload uses no memory.
        onRequest: async (request, reply) => {
          await admit(app, guards, request, reply)
          acquireUpload(reply, request.identity!.accountId)
        },
      },
      async (request, reply) => {
        const { name } = request.query as { name?: unknown }
        if (typeof name !== 'string' || name.trim() === '' || name.length > MAX_NAME_LENGTH)
          throw invalid('name', 'is required; pass the file name as a query parameter')
        const content = Buffer.isBuffer(request.body) ? request.body : Buffer.alloc(0)
        const context = toContext(app, request)
        const idempotencyKey = readIdempotencyKey(request)
        const input = idempotencyKey && { name, content: hash('sha256', content) }
        const key = toIdempotencyKey(context, { name: 'createAttachment', input, idempotencyKey })
        const { text, isReplay } = await runOnce(context, key, async () =>
          JSON.stringify(await create(context, { name, content })),
        )
        if (isReplay) reply.header('idempotency-replayed', 'true')
        return sendResponse(request, reply, text, 'application/json')
      },
    )
  })
  server.get(
    '/v1/inbox/email/attachments/:attachmentId',
    {
      handlerTimeout: DOWNLOAD_TIMEOUT_MS,
      config: { name: 'downloadAttachment' },
      onRequest: admitLink(app, guards),
    },
    async (request, reply) => {
      const { attachmentId } = request.params as { attachmentId: string }
      if (!id.safeParse(attachmentId).success) throw notFound('attachment')
      const file = await open(toContext(app, request), attachmentId)
      acquireDownload(reply)
      return reply
        .headers({
          'content-type': file.type,
          'content-length': file.size,
          'content-disposition': formatDisposition(file.name),
          'content-security-policy': "default-src 'none'; frame-ancestors 'none'; sandbox",
        })
        .send(Readable.from(file.pieces))
    },
  )
}

/**
 * Returns a Content-Disposition header, which makes browsers download the file instead of showing it. Only old clients
 * use the first file name (RFC 6266).
 */
function formatDisposition(name: string): string {
  const ascii = name.replace(/[^\x20-\x7e]|["\\%]/g, '_')
  const encoded = encodeURIComponent(name.toWellFormed()).replace(
    /['()*]/g,
    char => `%${char.charCodeAt(0).toString(16)}`,
  )
  return `attachment; filename="${ascii}"; filename*=UTF-8''${encoded}`
}

const toBodyError = (error: unknown): unknown =>
  !(error instanceof AppError) && (error as FastifyError).code === 'FST_ERR_CTP_BODY_TOO_LARGE'
    ? invalid('', 'The file must be at most 10 MB.')
    : error
