import { Readable } from 'node:stream'
import type { FastifyInstance } from 'fastify'
import { id } from '../../../contract/page.ts'
import type { App, Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { limitConcurrency } from './concurrency-limit.ts'
import { admitLink, type Guards, toContext } from './routes.ts'

/** A function that opens the file of a finished export that the caller started. Throws NotFound. */
export type OpenExportFile = (
  ctx: Context,
  exportId: string,
) => Promise<{ name: string; bytes: number; pieces: AsyncIterable<string> }>

const MAX_CONCURRENT = 8
const TIMEOUT_MS = 15 * 60_000

/** Streams `GET /v1/exports/{exportId}/download` to the user who started the export. */
export function mountExports(server: FastifyInstance, app: App, guards: Guards, open: OpenExportFile): void {
  const acquire = limitConcurrency(
    MAX_CONCURRENT,
    'Too many exports are being downloaded. Try again in a moment.',
  )
  server.get(
    '/v1/exports/:exportId/download',
    {
      handlerTimeout: TIMEOUT_MS,
      config: { name: 'downloadExport' },
      onRequest: admitLink(app, guards),
    },
    async (request, reply) => {
      const { exportId } = request.params as { exportId: string }
      if (!id.safeParse(exportId).success) throw notFound('export')
      const file = await open(toContext(app, request), exportId)
      acquire(reply)
      return reply
        .headers({
          'content-type': 'text/csv; charset=utf-8',
          'content-length': file.bytes,
          'content-disposition': `attachment; filename="${file.name}"`,
          'cache-control': 'no-store',
        })
        .send(Readable.from(file.pieces))
    },
  )
}
