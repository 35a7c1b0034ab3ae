import { z } from 'zod'
import { type ErrorCode, errorBody, errorStatus } from '../../../contract/error.ts'
import { operations } from '../../../contract/index.ts'
import type { Operation } from '../../../contract/operation.ts'
import { type Schema, toExample } from './openapi-example.ts'
import { describeEvents } from './openapi-webhooks.ts'

/** Version of the API description. Breaking changes change the path's /v1 instead. */
const VERSION = '1.0.0'

type Components = Record<string, Schema>

/**
 * Builds the OpenAPI 3.1 document of the whole contract. `origin` is the public URL; if it is empty, server URLs are
 * relative.
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

const introduction = `Every request needs an API token: \`Authorization: Bearer <token>\`. Users of several accounts choose one with \`x-account-id\`.

Lists are sorted newest first and paginated: pass \`next\` or \`previous\` of a response as \`cursor\`. A cursor includes its filters, which must not change between pages. Filtering by an ID that does not exist in your account returns 404 and names the filter.

The headers \`RateLimit-Policy\` and \`RateLimit\`, and the older \`RateLimit-Limit\`, \`RateLimit-Remaining\` and \`RateLimit-Reset\`, describe the limits that counted the request. Responses to requests that end before being counted, such as those to an unknown path, do not include these headers; nor do responses from servers with limits turned off.

Every POST accepts an \`Idempotency-Key\`: the same request with the same key takes effect once and returns the same response for 24 hours. While the first request is still running, others with its key get a 409 with \`Retry-After\`, whose \`details\` name \`Idempotency-Key\`. Reusing a key with another token is rejected (422). Operations that only check other servers may run twice when requested concurrently.

Responses to GET have an \`ETag\`. Send it as \`If-None-Match\` to get an empty 304 while nothing has changed. Responses to GET are compressed for clients that send \`Accept-Encoding: br\` or \`gzip\`.`

const headers = {
  'X-Request-Id': {
    description: 'ID of this request; quote it when asking for help',
    schema: { type: 'string' },
  },
  'RateLimit-Policy': {
    description: 'The limits that apply to this request',
    schema: { type: 'string' },
    example: '"general";q=100;w=60',
  },
  RateLimit: {
    description: 'Remaining requests of each limit and seconds until it resets',
    schema: { type: 'string' },
    example: '"general";r=99;t=60',
  },
  'RateLimit-Limit': {
    description: 'The limit closest to being exceeded',
    schema: { type: 'integer' },
    example: 100,
  },
  'RateLimit-Remaining': {
    description: 'Requests remaining in that limit',
    schema: { type: 'integer' },
    example: 99,
  },
  'RateLimit-Reset': {
    description: 'Seconds until that limit resets',
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
  Allow: { description: 'The methods this path supports', schema: { type: 'string' }, example: 'GET, HEAD' },
  ETag: {
    description: 'Identifies this response; accepted as `If-None-Match`',
    schema: { type: 'string' },
    example: 'W/"kW8AJ6V1B0znKjMXd8NHjWUT94a"',
  },
  'Idempotency-Replayed': {
    description: '`true` if this is the stored response of an earlier request',
    schema: { type: 'string', const: 'true' },
  },
}

/**
 * Request header parameters. Their examples are in the schemas, because some tools would send a parameter's own
 * `example`, here the ID of an account that no user has.
 */
const parameters = {
  accountId: {
    name: 'x-account-id',
    in: 'header',
    description: 'The account to use. Required for users of several accounts.',
    schema: { type: 'string', format: 'uuid', examples: ['01980000-0000-7000-8000-000000000001'] },
  },
  idempotencyKey: {
    name: 'Idempotency-Key',
    in: 'header',
    description:
      'Makes retries safe: the same request with the same key takes effect once. While the first request is still running, others get `Conflict` with `Retry-After`. Use a new key for each new request.',
    schema: { type: 'string', minLength: 1, maxLength: 255, examples: ['7d8f2a51-import-row-42'] },
  },
}

const ref = (kind: string, name: string) => ({ $ref: `#/components/${kind}/${name}` })
const commonHeaders = [
  'X-Request-Id',
  'RateLimit-Policy',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
]
const headerRefs = (...names: string[]) => Object.fromEntries(names.map(name => [name, ref('headers', name)]))

const extraHeader: Partial<Record<ErrorCode, string>> = {
  Unauthorized: 'WWW-Authenticate',
  TooManyRequests: 'Retry-After',
  ServiceUnavailable: 'Retry-After',
  MethodNotAllowed: 'Allow',
  Conflict: 'Retry-After',
}

const errorMeaning: Record<ErrorCode, string> = {
  ValidationError: 'The request is invalid; `details` names each invalid field',
  Unauthorized: 'The token is missing, invalid, expired or revoked, or x-account-id is required',
  Forbidden: 'The role or the kind of credential does not allow this',
  NotFound: 'The object does not exist in this account',
  MethodNotAllowed: 'The path does not support this method',
  Conflict:
    'The state of the object does not allow this, or the first request with the same key is still running (`Retry-After` is set, and `details` names `Idempotency-Key`), or its response was lost',
  IdempotencyMismatch: 'The Idempotency-Key was used for another request, or with another token or session',
  TooManyRequests: 'A rate limit is exceeded; retry after the number of seconds in `Retry-After`',
  InternalServerError: 'An unexpected error',
  ServiceUnavailable: 'The server is temporarily unavailable; try again in a moment',
}

const errorResponse = (code: ErrorCode, schema: Schema) => ({
  description: errorMeaning[code],
  headers: headerRefs(...commonHeaders, ...(extraHeader[code] ? [extraHeader[code]] : [])),
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
          schema: { ...schema, examples: [toExample(schema, schemas, field)] },
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
        headers: headerRefs(
          ...commonHeaders,
          ...(operation.method === 'POST' ? ['Idempotency-Replayed'] : []),
          ...(operation.method === 'GET' ? ['ETag'] : []),
        ),
        content: {
          'application/json': {
            schema: output,
            example: operation.example?.output ?? toExample(output, schemas),
          },
          ...(operation.csv && { 'text/csv': { schema: { type: 'string' } } }),
        },
      },
      ...Object.fromEntries(
        getErrorCodes(operation).map(code => [errorStatus[code], ref('responses', code)]),
      ),
    },
  }
}

function getErrorCodes(operation: Operation): ErrorCode[] {
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

/** Converts a part of the contract to JSON Schema; named schemas become components. */
function toSchema(part: z.ZodType, io: 'input' | 'output', schemas: Components): Schema {
  const { $schema, $defs, ...schema } = z.toJSONSchema(part, {
    io,
    unrepresentable: 'any',
    // Responses may gain fields, so they must not forbid additional properties.
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
