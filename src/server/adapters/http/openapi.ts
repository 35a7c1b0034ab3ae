import { z } from 'zod'
import { type ErrorCode, errorBody, errorStatus } from '../../../contract/error.ts'
import { operations } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/operation.ts'
import { exampleOf, type Schema } from './openapi-example.ts'
import { describeEvents } from './openapi-webhooks.ts'

/**
 * Version of the API description. It grows with the contract; the /v1 of the paths changes with breaking changes
 * only.
 */
const VERSION = '1.0.0'

type Components = Record<string, Schema>

/**
 * Returns the OpenAPI 3.1 document of the contract. `origin` is the server's public origin; empty for relative URLs.
 */
export function openApiDocument(origin: string): Record<string, unknown> {
  const schemas: Components = {}
  const error = toSchema(errorBody, 'output', schemas)
  const paths: Record<string, Record<string, unknown>> = {}
  for (const [name, operation] of Object.entries(operations) as [string, Operation][]) {
    paths[operation.path] = {
      ...paths[operation.path],
      [operation.method.toLowerCase()]: describeOperation(name, operation, schemas),
    }
  }
  return {
    openapi: '3.1.0',
    info: {
      title: 'Overture API',
      version: VERSION,
      summary: 'Sales outreach: campaigns, prospects, inbox, calls and Do Not Contact',
      description: introduction,
      license: { name: 'MIT', identifier: 'MIT' },
    },
    servers: [{ url: `${origin}/v1` }],
    security: [{ apiToken: [] }],
    tags: [
      { name: 'specified', description: 'Operations of the published specification' },
      { name: 'extension', description: 'Operations added by Overture' },
      ...[...new Set(Object.values<Operation>(operations).map(({ tag }) => tag))].map(tag => ({ name: tag })),
    ],
    paths,
    webhooks: describeEvents((part, as) => toSchema(part, as, schemas), schemas),
    components: {
      securitySchemes: {
        apiToken: { type: 'http', scheme: 'bearer', description: 'An API token, such as `ovt_live_…`' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-overture-session',
          description: 'Session of a user signed in to the web app',
        },
      },
      schemas,
      headers,
      parameters,
      responses: Object.fromEntries(
        Object.entries(errorStatus).map(([code]) => [code, errorResponse(code as ErrorCode, error)]),
      ),
    },
  }
}

const introduction = `Every request carries an API token: \`Authorization: Bearer <token>\`. A user of several accounts names one with \`x-account-id\`.

Lists are newest first and paged by cursor: pass \`next\` or \`previous\` of an answer as \`cursor\`. A cursor carries its filters, which must not change between pages. A filter by an id takes the id of an object in your account: with any other id the answer is 404, and it names the filter.

Answers tell in \`RateLimit-Policy\` and \`RateLimit\`, and in the older \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`, of the buckets that counted the request. What ends before any bucket counts it has no such headers, as a request to an unknown address; nor has any answer where the limits are switched off.

Every POST may carry an \`Idempotency-Key\`: the same request with the same key has its effect once, and gets the same answer for 24 hours. A key that your user sends with another token is refused (422). Only a check of other servers runs twice when both come at once, for it changes nothing there.`

const headers = {
  'X-Request-Id': {
    description: 'Request ID; include it when you contact support',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'Rate limits that apply to the request',
    schema: { type: 'string' },
    example: '"general";q=100;w=60',
  },
  RateLimit: {
    description: 'Remaining requests of each rate limit, and the seconds until it resets',
    schema: { type: 'string' },
    example: '"general";r=99;t=60',
  },
  'RateLimit-Limit': {
    description: 'Limit of the rate limit closest to exhaustion',
    schema: { type: 'integer' },
    example: 100,
  },
  'RateLimit-Remaining': {
    description: 'Remaining requests of that rate limit',
    schema: { type: 'integer' },
    example: 99,
  },
  'RateLimit-Reset': {
    description: 'Seconds until that rate limit resets',
    schema: { type: 'integer' },
    example: 60,
  },
  'Retry-After': {
    description: 'Seconds to wait before retrying',
    schema: { type: 'integer' },
    example: 42,
  },
  'WWW-Authenticate': {
    description: 'Authentication scheme',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  Allow: { description: 'Allowed methods', schema: { type: 'string' }, example: 'GET, HEAD' },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response of an earlier request',
    schema: { type: 'string', const: 'true' },
  },
}

/**
 * Parameter examples are in their schemas: the reference page's "Try it out" would send a parameter's own `example`,
 * which exists in no account.
 */
const parameters = {
  accountId: {
    name: 'x-account-id',
    in: 'header',
    description: 'Account ID. Required only for users of several accounts.',
    schema: { type: 'string', format: 'uuid', examples: ['01980000-0000-7000-8000-000000000001'] },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe: requests with the same key take effect once. Use a new key for each new request.',
    schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['7d8f2a51-import-row-42'] },
  },
}

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
const usualHeaders = [
  'X-Request-Id',
  'RateLimit-Policy',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
]
const headersOf = (...names: string[]) => Object.fromEntries(names.map(name => [name, ref('headers', name)]))

const extraHeader: Partial<Record<ErrorCode, string>> = {
  Unauthorized: 'WWW-Authenticate',
  TooManyRequests: 'Retry-After',
  ServiceUnavailable: 'Retry-After',
  MethodNotAllowed: 'Allow',
}

const errorMeaning: Record<ErrorCode, string> = {
  ValidationError: 'Invalid request; `details` names each invalid field',
  Unauthorized: 'The token is missing, invalid, expired or revoked, or `x-account-id` is required',
  Forbidden: 'Not allowed for the role, for a read-only token, or for a token in place of a signed-in person',
  NotFound: 'No such object in this account',
  MethodNotAllowed: 'Method not allowed on this path',
  Conflict:
    'The state of the object does not allow this, or a request with the same Idempotency-Key is in progress',
  IdempotencyMismatch:
    'The Idempotency-Key was used for a different request, or with a different token or session',
  TooManyRequests: 'Rate limit exceeded; retry after 60 seconds',
  InternalServerError: 'Internal server error',
  ServiceUnavailable: 'Temporarily unavailable; retry in a moment',
}

const errorResponse = (code: ErrorCode, schema: Schema) => ({
  description: errorMeaning[code],
  headers: headersOf(...usualHeaders, ...(extraHeader[code] ? [extraHeader[code]] : [])),
  content: {
    'application/json': {
      schema,
      example: {
        error: code,
        message: errorMeaning[code],
        requestId: '8c7de1a4-6f0e-4c43-9f0b-0e7a4ad0b6a1',
      },
    },
  },
})

function describeOperation(name: string, operation: Operation, schemas: Components): Record<string, unknown> {
  const input = toSchema(operation.input, 'input', schemas)
  const output = toSchema(operation.output, 'output', schemas)
  const properties = Object.entries(input.properties ?? {})
  const inPath = (field: string) => operation.path.includes(`{${field}}`)
  const hasBody = operation.method !== 'GET' && operation.method !== 'DELETE'
  const bodyFields = hasBody ? properties.filter(([field]) => !inPath(field)) : []
  const required = input.required ?? []
  return {
    operationId: name,
    summary: operation.summary,
    ...(operation.description && { description: operation.description }),
    tags: [operation.tag, operation.extension ? 'extension' : 'specified'],
    'x-permission': operation.permission,
    ...(operation.needsSession && { security: [{ session: [] }] }),
    parameters: [
      ...properties
        .filter(([field]) => !hasBody || inPath(field))
        .map(([field, schema]) => ({
          name: field,
          in: inPath(field) ? 'path' : 'query',
          required: required.includes(field),
          ...(schema.description && { description: schema.description }),
          schema: inPath(field) ? { ...schema, examples: [exampleOf(schema, schemas, field)] } : schema,
        })),
      ref('parameters', 'accountId'),
      ...(operation.method === 'POST' ? [ref('parameters', 'idempotencyKey')] : []),
    ],
    ...(bodyFields.length > 0 && {
      requestBody: {
        required: bodyFields.some(([field]) => required.includes(field)),
        content: {
          'application/json': {
            schema: {
              type: 'object',
              properties: Object.fromEntries(bodyFields),
              required: required.filter(field => !inPath(field)),
              additionalProperties: false,
            },
            ...(operation.example?.input && { example: operation.example.input }),
          },
        },
      },
    }),
    responses: {
      200: {
        description: 'Success',
        headers: headersOf(...usualHeaders, ...(operation.method === 'POST' ? ['Idempotency-Replayed'] : [])),
        content: {
          'application/json': {
            schema: output,
            example: operation.example?.output ?? exampleOf(output, schemas),
          },
        },
      },
      ...Object.fromEntries(errorsOf(operation).map(code => [errorStatus[code], ref('responses', code)])),
    },
  }
}

function errorsOf(operation: Operation): ErrorCode[] {
  const isWrite = operation.method !== 'GET'
  const namesAnObject =
    operation.path.includes('{') ||
    operation.method === 'DELETE' ||
    (!isWrite && Object.keys(operation.input.shape).some(field => field.endsWith('Id')))
  return [
    'ValidationError',
    'Unauthorized',
    'Forbidden',
    ...(namesAnObject ? (['NotFound'] as const) : []),
    ...(isWrite ? (['Conflict'] as const) : []),
    ...(operation.method === 'POST' ? (['IdempotencyMismatch'] as const) : []),
    'TooManyRequests',
    'InternalServerError',
    'ServiceUnavailable',
  ]
}

/** Returns the JSON Schema of a contract part and adds its named parts to `schemas`. */
function toSchema(part: z.ZodType, io: 'input' | 'output', schemas: Components): Schema {
  const { $schema, $defs, ...schema } = z.toJSONSchema(part, {
    io,
    unrepresentable: 'any',
    // Responses may gain fields, so they are open to unknown ones.
    override: ({ jsonSchema }) => {
      if (io === 'output' && jsonSchema.additionalProperties === false) delete jsonSchema.additionalProperties
      delete jsonSchema.id
    },
  })
  const moved = JSON.parse(
    JSON.stringify({ schema, defs: $defs ?? {} }).replaceAll('"#/$defs/', '"#/components/schemas/'),
  ) as { schema: Schema; defs: Components }
  Object.assign(schemas, moved.defs)
  return moved.schema
}
