import type { FastifyInstance } from 'fastify'
import { id } from '../../../contract/page.ts'
import type { App, Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { admit, type Guards, toContext } from './routes.ts'

export type GetEmailHtml = (ctx: Context, emailMessageId: string) => Promise<string>

/** Loads and runs nothing and gives the frame no origin, even if the sanitizer missed something. */
const POLICY =
  "default-src 'none'; style-src 'unsafe-inline'; img-src data:; frame-ancestors 'self'; form-action 'none'; base-uri 'none'; sandbox allow-popups allow-popups-to-escape-sandbox"

/**
 * Serves `GET /v1/inbox/email/messages/{emailMessageId}/html` for a frame of the web app. Remote images are blocked,
 * because they track readers.
 */
export function mountEmailHtml(server: FastifyInstance, app: App, guards: Guards, get: GetEmailHtml): void {
  server.get(
    '/v1/inbox/email/messages/:emailMessageId/html',
    {
      config: { name: 'getEmailHtml' },
      onRequest: (request, reply) => {
        const { accountId } = request.query as { accountId?: string | string[] }
        request.headers['x-account-id'] ??= accountId
        return admit(app, guards, request, reply)
      },
    },
    async (request, reply) => {
      const { emailMessageId } = request.params as { emailMessageId: string }
      if (!id.safeParse(emailMessageId).success) throw notFound('email message')
      const html = await get(toContext(app, request), emailMessageId)
      return reply
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': POLICY,
          'x-frame-options': 'SAMEORIGIN',
        })
        .send(`<!doctype html><meta charset="utf-8"><base target="_blank"><body>${html}`)
    },
  )
}
