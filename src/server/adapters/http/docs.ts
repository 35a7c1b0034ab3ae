import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { FastifyInstance } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { routeNotFound } from './errors.ts'
import { openApiDocument } from './openapi.ts'
import { type File, sendFile, toFile } from './send-file.ts'

const guidesFolder = join(import.meta.dirname, '../../../../docs')

/** Serves the OpenAPI document at /v1/openapi.json, and the guides that the reference page at /docs links to. */
export function mountDocs(server: FastifyInstance, { config }: App): void {
  const document = getDocument(config.publicUrl ?? '')
  server.get('/v1/openapi.json', (request, reply) =>
    sendFile(document, request, reply.header('cache-control', 'public, max-age=60')),
  )
  const guides = readGuides()
  server.get<{ Params: { name: string } }>('/docs/guides/:name', (request, reply) => {
    const guide = guides.get(request.params.name)
    if (!guide) throw routeNotFound()
    return sendFile(guide, request, reply.header('cache-control', 'public, max-age=60'))
  })
}

const documents = new Map<string, File>()

/**
 * Returns the document for this origin. Caches it, because building it is slow and all servers of a process have the
 * same contract.
 */
const getDocument = (origin: string): File =>
  documents.getOrInsertComputed(origin, () =>
    toFile('application/json; charset=utf-8', Buffer.from(JSON.stringify(openApiDocument(origin)))),
  )

/** Reads the guides once, so that a newer checkout does not affect a running server. */
function readGuides() {
  if (!existsSync(guidesFolder)) return new Map<string, ReturnType<typeof toFile>>()
  const names = readdirSync(guidesFolder).filter(name => name.endsWith('.md'))
  return new Map(
    names.map(name => [name, toFile('text/plain; charset=utf-8', readFileSync(join(guidesFolder, name)))]),
  )
}
