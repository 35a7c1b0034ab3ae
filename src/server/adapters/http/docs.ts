import swagger, { type StaticDocumentSpec } from '@fastify/swagger'
import swaggerUi from '@fastify/swagger-ui'
import type { FastifyInstance } from 'fastify'
import type { App } from '../../kernel/context.ts'
import { openApiDocument } from './openapi.ts'

/** Allows the page's own files only; no inline scripts, no frames. */
const PAGE_POLICY =
  "default-src 'none'; connect-src 'self'; font-src 'self' data:; img-src 'self' data:; script-src 'self'; style-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

/** Serves the OpenAPI document at /v1/openapi.json and the reference page at /docs, without other hosts. */
export async function mountDocs(server: FastifyInstance, app: App): Promise<void> {
  const document = openApiDocument(app.config.publicUrl ?? '')
  const text = JSON.stringify(document)
  server.get('/v1/openapi.json', async (_request, reply) =>
    reply.header('cache-control', 'public, max-age=60').type('application/json; charset=utf-8').send(text),
  )
  await server.register(swagger, {
    mode: 'static',
    specification: { document: document as object as StaticDocumentSpec['document'] },
  })
  await server.register(swaggerUi, {
    routePrefix: '/docs',
    uiConfig: {
      layout: 'BaseLayout',
      docExpansion: 'none',
      deepLinking: true,
      tryItOutEnabled: true,
      persistAuthorization: false,
    },
    theme: { title: 'Overture API' },
    staticCSP: true,
    transformStaticCSP: () => PAGE_POLICY,
  })
}
