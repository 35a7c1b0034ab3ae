import type { FastifyInstance } from 'fastify'
import { id } from '../../../contract/page.ts'
import type { App, Context } from '../../kernel/context.ts'
import { notFound } from '../../kernel/errors.ts'
import { toFrameHtml } from '../../protocols/html/frame-html.ts'
import { admitLink, type Guards, toContext } from './routes.ts'

export type GetEmailHtml = (ctx: Context, emailMessageId: string) => Promise<string>

/**
 * Returns a Content-Security-Policy that allows images but no scripts, and isolates the page from our origin, in case
 * the sanitizer misses something.
 */
const toPolicy = (imageSources: string): string =>
  `default-src 'none'; style-src 'unsafe-inline'; img-src ${imageSources}; frame-ancestors 'self'; form-action 'none'; base-uri 'none'; sandbox allow-popups allow-popups-to-escape-sandbox`

/** Style of the page around an email. Emails are designed for a light background. */
const STYLE = `:root{color-scheme:light}
body{margin:12px;font:14px/1.5 system-ui,sans-serif;color:#25221e;background:#fff;overflow-wrap:anywhere}
img{max-width:100%;height:auto}
summary{width:fit-content;margin:4px 0;cursor:pointer;color:#645e56;font-size:13px}
blockquote{margin:0 0 0 2px;padding-left:12px;border-left:2px solid #e2ded6}`

/**
 * Serves `GET /v1/inbox/email/messages/{emailMessageId}/html` for a frame of the web app. Remote images are blocked,
 * because they track readers, unless the query says `images=remote`.
 */
export function mountEmailHtml(server: FastifyInstance, app: App, guards: Guards, get: GetEmailHtml): void {
  server.get(
    '/v1/inbox/email/messages/:emailMessageId/html',
    {
      config: { name: 'getEmailHtml' },
      onRequest: admitLink(app, guards),
    },
    async (request, reply) => {
      const { emailMessageId } = request.params as { emailMessageId: string }
      if (!id.safeParse(emailMessageId).success) throw notFound('email message')
      const withRemoteImages = (request.query as { images?: unknown }).images === 'remote'
      const html = toFrameHtml(await get(toContext(app, request), emailMessageId), { withRemoteImages })
      return reply
        .headers({
          'content-type': 'text/html; charset=utf-8',
          'content-security-policy': toPolicy(withRemoteImages ? 'data: https: http:' : 'data:'),
          'referrer-policy': 'no-referrer',
          'x-dns-prefetch-control': 'off',
          'x-frame-options': 'SAMEORIGIN',
        })
        .send(
          `<!doctype html><html lang=""><head><meta charset="utf-8"><title>Email</title><base target="_blank"><style>${STYLE}</style></head><body>${html}`,
        )
    },
  )
}
