import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { extname, join } from 'node:path'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { unavailable } from '../../kernel/errors.ts'
import { routeNotFound } from './errors.ts'
import { type BuildManifest, openPageScripts } from './page-scripts.ts'
import { type File, sendFile, toFile } from './send-file.ts'
import { readSessionCookie } from './session-cookie.ts'

/** Output of bin/build-web. */
const folder = join(import.meta.dirname, '../../../../dist/web')

/** First path segments of the app's pages. The app itself routes the paths below them. */
const areas =
  'calls campaigns companies confirm dnc inbox invitation notifications people reports reset settings setup sign-in tasks'.split(
    ' ',
  )

/** Allows only files from this origin and nothing inline, and requires Trusted Types. */
const PAGE_POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; font-src 'self'; img-src 'self' data:; media-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'self'; frame-src 'self'; frame-ancestors 'none'; require-trusted-types-for 'script'"

const pageHeaders = {
  'cache-control': 'no-cache',
  'content-security-policy': PAGE_POLICY,
  'cross-origin-opener-policy': 'same-origin',
}

const contentTypes: Record<string, string> = {
  '.html': 'text/html; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.css': 'text/css; charset=utf-8',
  '.svg': 'image/svg+xml',
  '.woff2': 'font/woff2',
}

/** Serves the web app. The files are read once, so a newer build does not affect a running server. */
export function mountWeb(server: FastifyInstance, { config }: App): void {
  const files = readBuild()
  const send =
    (path: string, headers: Record<string, string>) =>
    async (request: FastifyRequest, reply: FastifyReply) => {
      const file = files.get(path.replace('*', (request.params as { '*'?: string })['*'] ?? ''))
      if (!file)
        throw files.size > 0
          ? routeNotFound()
          : unavailable('The web app is not built. Run bin/build-web and restart.')
      return sendFile(file, request, reply.headers(headers))
    }
  const sendPage = send('index.html', pageHeaders)
  const listPageScripts = openPageScripts(readManifest())
  const page = (request: FastifyRequest, reply: FastifyReply) => {
    const isSignedIn = readSessionCookie(config, request) !== undefined
    const scripts = listPageScripts(request.url.split('?')[0]!, isSignedIn)
    // Every page needs the session first, so the browser fetches it and the page's scripts while the app loads.
    const links = [
      ...(isSignedIn ? ['</v1/session>; rel=preload; as=fetch; crossorigin'] : []),
      ...scripts.map(file => `</${file}>; rel=modulepreload; crossorigin`),
    ]
    if (links.length > 0) reply.header('link', links.join(', '))
    return sendPage(request, reply)
  }
  server.get('/', page)
  for (const area of areas) {
    server.get(`/${area}`, page)
    server.get(`/${area}/*`, page)
  }
  // The API reference needs no session.
  for (const path of ['/docs', '/docs/*']) server.get(path, sendPage)
  for (const file of ['favicon.svg', 'theme.js']) {
    server.get(`/${file}`, send(file, { 'cache-control': 'public, max-age=86400' }))
  }
  server.setNotFoundHandler((request, reply) => page(request, reply.code(404)))
  // File names contain a content hash.
  server.get('/assets/*', send('assets/*', { 'cache-control': 'public, max-age=31536000, immutable' }))
}

/**
 * Returns whether a browser opens a path outside the server's routes; the app then shows its page for unknown
 * paths.
 */
export function isUnknownPage({ method, headers, url, server }: FastifyRequest): boolean {
  const [, root] = url.split(/[/?]/)
  const isKnownRoot = [...server.knownPaths.values()].some(known => known.url.split('/')[1] === root)
  return method === 'GET' && headers.accept?.includes('text/html') === true && !isKnownRoot
}

/** Reads the manifest of the build, which maps source files to scripts; empty without a build. */
function readManifest(): BuildManifest {
  const path = join(folder, 'manifest.json')
  return existsSync(path) ? JSON.parse(readFileSync(path, 'utf8')) : {}
}

function readBuild(): Map<string, File> {
  if (!existsSync(folder)) return new Map()
  const paths = new Set(readdirSync(folder, { recursive: true, encoding: 'utf8' }))
  const read = (path: string) => readFileSync(join(folder, path))
  return new Map(
    [...paths].flatMap(path => {
      const type = contentTypes[extname(path)]
      // Compressed by the build.
      const brotli = `${path}.br`
      return type ? [[path, toFile(type, read(path), paths.has(brotli) ? read(brotli) : undefined)]] : []
    }),
  )
}
