import { Ajv2020, type ValidateFunction } from 'ajv/dist/2020.js'
import formats from 'ajv-formats'
import { errorCodes, errorStatus } from '../../../src/contract/error.ts'
import { openApiDocument } from '../../../src/server/adapters/http/openapi.ts'
import type { Schema } from '../../../src/server/adapters/http/openapi-example.ts'

export type DocumentedParameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  schema: Schema
}
type Media = { schema: Schema; example?: unknown }
export type DocumentedResponse = {
  description: string
  headers: Record<string, { $ref: string }>
  content: Record<string, Media>
}
export type DocumentedOperation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  parameters: (DocumentedParameter | { $ref: string })[]
  requestBody?: { required: boolean; content: { 'application/json': Media } }
  responses: Record<string, DocumentedResponse | { $ref: string }>
}
export type Document = {
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Record<string, { post: DocumentedOperation }>
  components: {
    schemas: Record<string, Schema>
    headers: Record<string, { schema: Schema; example?: unknown }>
    parameters: Record<string, DocumentedParameter>
    responses: Record<string, DocumentedResponse>
  }
}

export const document = openApiDocument('http://localhost') as unknown as Document

/** Every operation of the document with its method and path. */
export const documentedOperations = Object.entries(document.paths).flatMap(([path, methods]) =>
  Object.entries(methods).map(([method, operation]) => ({ path, method: method.toUpperCase(), operation })),
)

export const resolve = <T>(part: T | { $ref: string }): T => {
  if (typeof part !== 'object' || part === null || !('$ref' in part)) return part as T
  const names = part.$ref.slice(2).split('/')
  return names.reduce((node, name) => (node as Record<string, unknown>)[name], document as unknown) as T
}

/** An HTTP response, independent of the client. */
export type RawResponse = { status: number; headers: Record<string, string>; text: string }

// Objects are closed, so that an undocumented field is an error.
const ajv = formats.default(new Ajv2020({ strict: false, allErrors: true, allowUnionTypes: true }))
ajv.addSchema(closeObjects(document) as object, 'document')

function closeObjects(value: unknown): unknown {
  if (typeof value !== 'object' || value === null) return value
  if (Array.isArray(value)) return value.map(closeObjects)
  const closed = Object.fromEntries(Object.entries(value).map(([key, child]) => [key, closeObjects(child)]))
  const isObjectSchema = closed.type === 'object' && typeof closed.properties === 'object'
  return isObjectSchema && !('additionalProperties' in closed)
    ? { ...closed, additionalProperties: false }
    : closed
}

const compiled = new Map<string, ValidateFunction>()

/** Validates a value against the part of the document at this path and returns the errors. */
export function findErrorsAt(place: string[], value: unknown): string[] {
  const pointer = place.map(
    name => `/${encodeURIComponent(name.replaceAll('~', '~0').replaceAll('/', '~1'))}`,
  )
  const ref = `document#${pointer.join('')}`
  const validate = compiled.get(ref) ?? ajv.compile({ $ref: ref })
  compiled.set(ref, validate)
  if (validate(value)) return []
  return validate.errors!.map(
    error => `${error.instancePath || 'body'} ${error.message} ${JSON.stringify(error.params)}`,
  )
}

/** Headers of HTTP and of every response, which the document doesn't list per response. */
const commonHeaders = new Set([
  'connection',
  'content-encoding',
  'content-length',
  'content-type',
  'date',
  'keep-alive',
  'transfer-encoding',
  'vary',
  'x-content-type-options',
  'cache-control',
  'content-security-policy',
  'x-frame-options',
  'referrer-policy',
  'strict-transport-security',
])

const json = 'application/json'

/** Returns the differences between a response and its documentation. `path` is undefined for undocumented paths. */
export function findResponseErrors(
  method: string,
  path: string | undefined,
  response: RawResponse,
): string[] {
  const place = findResponsePath(method, path, response.status)
  if (!place) return [`the document has no ${response.status} for ${method} ${path}`]
  const documented = resolve(getPart<DocumentedResponse | { $ref: string }>(place))
  const errors = findHeaderErrors(documented, response)
  if (method === 'HEAD') return errors
  if (!response.headers['content-type']?.startsWith(json)) {
    return [...errors, `content-type is ${response.headers['content-type']}`]
  }
  const body = parseJson(response.text)
  if (body === undefined) return [...errors, 'the body is not valid JSON']
  const target = isRef(getPart(place)) ? (getPart(place) as { $ref: string }).$ref.slice(2).split('/') : place
  return [...errors, ...findErrorsAt([...target, 'content', json, 'schema'], body)]
}

const isRef = (part: unknown): boolean => typeof part === 'object' && part !== null && '$ref' in part

/** Returns the location of the response in the document: a shared error for undocumented paths and methods. */
function findResponsePath(method: string, path: string | undefined, status: number): string[] | undefined {
  const verb = (method === 'HEAD' ? 'get' : method).toLowerCase()
  const operation = document.paths[path ?? '']?.[verb]
  if (operation) {
    return operation.responses[status] && ['paths', path!, verb, 'responses', String(status)]
  }
  const code = errorCodes.find(one => errorStatus[one] === status)
  return code && ['components', 'responses', code]
}

const getPart = <T>(place: string[]): T =>
  place.reduce((node, name) => (node as Record<string, unknown>)[name], document as unknown) as T

function findHeaderErrors(
  { headers: documentedHeaders }: DocumentedResponse,
  { headers }: RawResponse,
): string[] {
  const names = new Map(Object.keys(documentedHeaders).map(name => [name.toLowerCase(), name]))
  const errors = headers['x-request-id'] ? [] : ['there is no x-request-id']
  for (const [name, text] of Object.entries(headers)) {
    if (commonHeaders.has(name)) continue
    const spelling = names.get(name)
    if (!spelling) errors.push(`the header ${name} is not documented`)
    else {
      const { schema } = document.components.headers[spelling]!
      const value = schema.type === 'integer' ? Number(text) : text
      const found = findErrorsAt(['components', 'headers', spelling, 'schema'], value)
      errors.push(...found.map(error => `header ${name}: ${error}`))
    }
  }
  return errors
}

function parseJson(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return undefined
  }
}

/** Validates a posted webhook event against its documented type and returns the errors. */
export const findEventErrors = (event: { type: string }): string[] =>
  findErrorsAt(
    ['webhooks', event.type, 'post', 'requestBody', 'content', 'application/json', 'schema'],
    event,
  )
