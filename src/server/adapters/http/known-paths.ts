import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { AppError } from '../../kernel/errors.ts'

/** An address with the methods that it takes; `isVague` when its pattern also fits what names another one. */
export type Address = { url: string; pattern: RegExp; isVague: boolean; methods: string[] }

declare module 'fastify' {
  interface FastifyInstance {
    knownAddresses: Map<string, Address>
  }
}

/** Whatever is mounted from here on is known with its methods, so that another method is told from another address. */
export function collectAddresses(server: FastifyInstance): void {
  const addresses = new Map<string, Address>()
  server.decorate('knownAddresses', addresses)
  server.addHook('onRoute', ({ url, method }) => {
    // That of the plugin for CORS, which stands for no address.
    if (url === '*') return
    const pattern = patternOf(url)
    const address = addresses.getOrInsertComputed(pattern, () => ({
      url,
      pattern: new RegExp(pattern),
      isVague: /[:*]/.test(url),
      methods: [],
    }))
    // Whatever takes HEAD takes GET, which is not always told.
    const taken = [method].flat().flatMap(each => (each === 'HEAD' ? ['GET', 'HEAD'] : [each]))
    address.methods = [...new Set([...address.methods, ...taken])]
  })
}

/** `/v1/reps/:repId` → `^/v1/reps/[^/]+$`; a `*` stands for all that may follow. */
const patternOf = (url: string): string =>
  `^${url
    .split('/')
    .map(part => (part.startsWith(':') ? '[^/]+' : part === '*' ? '.*' : RegExp.escape(part)))
    .join('/')}$`

/** The address that a request means; what names one comes before what only fits it. */
export function addressOf({ url, server }: FastifyRequest): Address | undefined {
  const [path = ''] = url.split('?')
  const fitting = [...server.knownAddresses.values()].filter(({ pattern }) => pattern.test(path))
  return fitting.find(({ isVague }) => !isVague) ?? fitting[0]
}

/** That the address takes other methods; undefined when there is no such address, or it is not the method's fault. */
export function methodFault(request: FastifyRequest, reply: FastifyReply): AppError | undefined {
  const address = addressOf(request)
  if (!address || address.methods.includes(request.method)) return undefined
  const allow = address.methods.join(', ')
  reply.header('allow', allow)
  return new AppError('MethodNotAllowed', `This address takes ${allow}.`)
}
