import { z } from 'zod'
import { type ErrorCode, errorBody, errorStatus } from '../../../contract/error.ts'
import { operations } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/operation.ts'
import { exampleOf, type Schema } from './openapi-example.ts'
import { describeEvents } from './openapi-webhooks.ts'

/** Version of the API description; it grows with the contract, the path's /v1 with breaking changes alone. */
const VERSION = '1.0.0'

type Components = Record<string, Schema>

/** The OpenAPI 3.1 document of the whole contract. `origin` is the address under which people reach the server;
 * empty, addresses count from the document's own. */
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
      { name: 'extension', description: 'Operations that Overture adds' },
      ...[...new Set(Object.values<Operation>(operations).map(({ tag }) => tag))].map(tag => ({ name: tag })),
    ],
    paths,
    webhooks: describeEvents((part, as) => toSchema(part, as, schemas), schemas),
    components: {
      securitySchemes: {
        apiToken: { type: 'http', scheme: 'bearer', description: 'An API token, as in `ovt_live_…`' },
        session: {
          type: 'apiKey',
          in: 'cookie',
          name: '__Host-overture-session',
          description: 'A person who is signed in to the web app',
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
    description: 'Names this request; quote it when asking for help',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The buckets this request counts in',
    schema: { type: 'string' },
    example: '"general";q=100;w=60',
  },
  RateLimit: {
    description: 'What is left in each bucket, and for how many seconds',
    schema: { type: 'string' },
    example: '"general";r=99;t=60',
  },
  'RateLimit-Limit': {
    description: 'Size of the bucket nearest to empty',
    schema: { type: 'integer' },
    example: 100,
  },
  'RateLimit-Remaining': { description: 'Requests left in it', schema: { type: 'integer' }, example: 99 },
  'RateLimit-Reset': {
    description: 'Seconds until it is full again',
    schema: { type: 'integer' },
    example: 60,
  },
  'Retry-After': {
    description: 'Seconds to wait before trying again',
    schema: { type: 'integer' },
    example: 42,
  },
  'WWW-Authenticate': {
    description: 'The scheme to authenticate with',
    schema: { type: 'string' },
    example: 'Bearer',
  },
  Allow: { description: 'The methods this address takes', schema: { type: 'string' }, example: 'GET, HEAD' },
  'Idempotency-Replayed': {
    description: '`true` when this is the stored answer of an earlier request',
    schema: { type: 'string', const: 'true' },
  },
}

/**
 * Examples of parameters stand in their schemas: a parameter's own `example` is sent by the reference page's "Try it
 * out", and nobody has the account of an example.
 */
const parameters = {
  accountId: {
    name: 'x-account-id',
    in: 'header',
    description: 'The account to act on. Only users of several accounts need it.',
    schema: { type: 'string', format: 'uuid', examples: ['01980000-0000-7000-8000-000000000001'] },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes a repeated request safe: the same request with the same key has its effect once. Use a new key for each new request, or none.',
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
  ValidationError: 'The request is not valid; `details` names each field at fault',
  Unauthorized: 'The token is missing, not valid, expired or revoked, or x-account-id is needed',
  Forbidden: 'The role, or a token in place of a signed-in person, or a read-only one, does not allow this',
  NotFound: 'There is no such object in this account',
  MethodNotAllowed: 'The address is known, this method is not',
  Conflict: 'The state of the object does not allow this, or a request with the same key still runs',
  IdempotencyMismatch: 'The Idempotency-Key was used for another request, or with another token or session',
  TooManyRequests: 'A rate limit is exceeded; retry after 60 seconds',
  InternalServerError: 'A fault of the server',
  ServiceUnavailable: 'The server cannot work right now; try again in a moment',
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
        description: 'It worked',
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

/** JSON Schema of a part of the contract; what it names becomes a component. */
function toSchema(part: z.ZodType, io: 'input' | 'output', schemas: Components): Schema {
  const { $schema, $defs, ...schema } = z.toJSONSchema(part, {
    io,
    unrepresentable: 'any',
    // Answers may grow fields, so readers are not told that there are no others.
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
