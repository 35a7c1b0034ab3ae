import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors.ts'

/** A mounted path with its methods. `isPattern` is true if the path has parameters; exact paths take precedence. */
export type KnownPath = { url: string; pattern: RegExp; isPattern: boolean; methods: string[] }

declare module 'fastify' {
  interface FastifyInstance {
    knownPaths: Map<string, KnownPath>
  }
}

/**
 * Records every route mounted afterwards, to distinguish an unsupported method (405) from an unknown path (404).
 */
export function collectKnownPaths(server: FastifyInstance): void {
  const paths = new Map<string, KnownPath>()
  server.decorate('knownPaths', paths)
  server.addHook('onRoute', ({ url, method }) => {
    // The CORS plugin's catch-all route.
    if (url === '*') return
    const pattern = toPattern(url)
    const path = paths.getOrInsertComputed(pattern, () => ({
      url,
      pattern: new RegExp(pattern),
      isPattern: /[:*]/.test(url),
      methods: [],
    }))
    // Fastify reports some GET routes as HEAD only.
    const supported = [method].flat().flatMap(name => (name === 'HEAD' ? ['GET', 'HEAD'] : [name]))
    path.methods = [...new Set([...path.methods, ...supported])]
  })
}

/** Turns `/v1/reps/:repId` into `^/v1/reps/[^/]+$`; `*` matches the rest of the path. */
const toPattern = (url: string): string =>
  `^${url
    .split('/')
    .map(part => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : RegExp.escape(part)))
    .join('/')}$`

/** Returns the known path of a request, preferring an exact one over a pattern. */
export function findKnownPath({ url, server }: FastifyRequest): KnownPath | undefined {
  const [path = ''] = url.split('?')
  const matches = [...server.knownPaths.values()].filter(({ pattern }) => pattern.test(path))
  return matches.find(({ isPattern }) => !isPattern) ?? matches[0]
}

/** Returns the error for a method that a known path does not support; undefined for other requests. */
export function methodNotAllowed(request: FastifyRequest, reply: FastifyReply): AppError | undefined {
  const path = findKnownPath(request)
  if (!path || path.methods.includes(request.method)) return undefined
  const allow = path.methods.join(', ')
  reply.header('allow', allow)
  return new AppError('MethodNotAllowed', `This path supports ${allow}.`)
}
