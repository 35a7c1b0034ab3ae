import { Validator } from '@seriousme/openapi-schema-validator'
import { describe, expect, it } from 'vitest'
import { errorCodes, errorStatus } from '../../src/contract/error.ts'
import { operations } from '../../src/contract/index.ts'
import { eventTypes } from '../../src/contract/webhooks.ts'
import {
  type DocumentedResponse,
  document,
  documentedOperations,
  findErrorsAt,
  findEventErrors,
  resolve,
} from '../support/contract/document-check.ts'

const json = 'application/json'
const rateLimitHeaders = [
  'RateLimit-Policy',
  'RateLimit',
  'RateLimit-Limit',
  'RateLimit-Remaining',
  'RateLimit-Reset',
]

it('the document of version 1.0.0 is valid OpenAPI 3.1 according to an independent validator', async () => {
  const result = await new Validator().validate(JSON.parse(JSON.stringify(document)))
  expect(result).toMatchObject({ valid: true })
  expect(document).toMatchObject({ openapi: '3.1.0', info: { version: '1.0.0' } })
})

it('the document names each operation of the contract once', () => {
  const names = documentedOperations.map(({ operation }) => operation.operationId)
  expect(names.toSorted()).toEqual(Object.keys(operations).toSorted())
})

it('the document has no unused components or dangling references', () => {
  const text = JSON.stringify(document)
  const references = new Set(
    [...text.matchAll(/"\$ref":"#\/components\/(\w+)\/([^"]+)"/g)].map(([, ...names]) => names.join('/')),
  )
  const parts = (['schemas', 'headers', 'parameters', 'responses'] as const).flatMap(kind =>
    Object.keys(document.components[kind]).map(name => `${kind}/${name}`),
  )
  expect([...references].filter(part => !parts.includes(part))).toEqual([])
  // No operation returns 405: it is only for unsupported methods.
  const unused = ['responses/MethodNotAllowed', 'headers/Allow']
  expect(parts.filter(part => !references.has(part) && !unused.includes(part))).toEqual([])
})

it('the document describes every error with a valid example', () => {
  for (const code of errorCodes) {
    const { content, headers, description } = document.components.responses[code]!
    expect(description).toMatch(/\w/)
    expect(Object.keys(headers)).toContain('X-Request-Id')
    expect(content[json]!.example).toMatchObject({ error: code })
    expect(
      findErrorsAt(['components', 'responses', code, 'content', json, 'schema'], content[json]!.example),
    ).toEqual([])
  }
})

it('the document says that `Retry-After` contains the time to wait after too many requests', () => {
  const { description, headers } = document.components.responses.TooManyRequests!
  expect(description).toMatch(/retry after the number of seconds in `Retry-After`$/)
  expect(Object.keys(headers)).toContain('Retry-After')
})

it('the document has valid examples of headers and parameters', () => {
  for (const kind of ['headers', 'parameters'] as const) {
    for (const [name, { schema, ...part }] of Object.entries(document.components[kind])) {
      const example = 'example' in part ? part.example : (schema.examples?.[0] ?? schema.const)
      if (example !== undefined)
        expect(findErrorsAt(['components', kind, name, 'schema'], example), name).toEqual([])
    }
  }
})

it('the document shows the body of each webhook event', () => {
  expect(Object.keys(document.webhooks)).toEqual([...eventTypes, 'webhook.test'])
  for (const { post } of Object.values(document.webhooks)) {
    expect(findEventErrors(post.requestBody!.content[json].example as { type: string })).toEqual([])
  }
})

describe.each(documentedOperations)('$method $path', ({ path, method, operation }) => {
  const place = ['paths', path, method.toLowerCase()]

  it('has a one-line summary without a full stop, and two tags: a heading and whether it is specified', () => {
    expect(operation.summary).toMatch(/^[A-Z][^\n]*[^.\s]$/)
    expect(operation.tags).toHaveLength(2)
    expect(['specified', 'extension']).toContain(operation.tags[1])
  })

  it('describes the operation and all its parameters and body fields', () => {
    expect(operation.description).toMatch(/^[A-Z`].*\.$/s)
    const parameters = operation.parameters.map(
      part => resolve(part) as { name: string; description?: string },
    )
    const body = operation.requestBody?.content[json]?.schema as { properties?: Record<string, object> }
    const fields = Object.entries(body?.properties ?? {}).map(([name, field]) => ({
      ...resolve(field),
      ...field,
      name,
    }))
    const undescribed = [...parameters, ...fields].filter(
      part => !('description' in part && part.description),
    )
    expect(undescribed.map(({ name }) => name)).toEqual([])
  })

  it('gives every parameter a valid example', () => {
    for (const [index, part] of operation.parameters.entries()) {
      const parameter = resolve(part) as {
        name: string
        in: string
        required?: boolean
        schema: { examples?: unknown[] }
      }
      expect(parameter.schema, parameter.name).toBeTypeOf('object')
      if (parameter.in === 'path') expect(parameter.required).toBe(true)
      // Header parameters are components, which have their own test.
      if (parameter.in === 'header') continue
      const [example] = parameter.schema.examples ?? []
      expect(example, parameter.name).toBeDefined()
      expect(findErrorsAt([...place, 'parameters', String(index), 'schema'], example)).toEqual([])
    }
    const inPath = [...path.matchAll(/\{(\w+)\}/g)].map(match => match[1])
    const listed = operation.parameters.map(part => resolve(part) as { name: string; in: string })
    expect(listed.filter(one => one.in === 'path').map(one => one.name)).toEqual(inPath)
  })

  it('shows a valid request body', () => {
    const media = operation.requestBody?.content[json]
    if (!media) return
    expect(media.example).toBeDefined()
    expect(findErrorsAt([...place, 'requestBody', 'content', json, 'schema'], media.example)).toEqual([])
  })

  it('shows a valid response', () => {
    const { content } = operation.responses['200'] as DocumentedResponse
    expect(
      findErrorsAt([...place, 'responses', '200', 'content', json, 'schema'], content[json]!.example),
    ).toEqual([])
  })

  it('documents every error it can return', () => {
    const statuses = Object.keys(operation.responses).map(Number)
    const expected = [200, 400, 401, 403, 429, 500, 503]
    if (path.includes('{')) expected.push(404)
    if (method === 'POST') expected.push(409, 422)
    expect(statuses).toEqual(expect.arrayContaining(expected))
    const known: number[] = [200, ...Object.values(errorStatus)]
    expect(statuses.filter(status => !known.includes(status))).toEqual([])
  })

  it('documents its response headers', () => {
    for (const [status, part] of Object.entries(operation.responses)) {
      const names = Object.keys((resolve(part) as DocumentedResponse).headers)
      expect(names, status).toEqual(expect.arrayContaining(['X-Request-Id', ...rateLimitHeaders]))
    }
    const names = operation.parameters.map(part => (resolve(part) as { name: string }).name)
    expect(names).toContain('x-account-id')
  })
})
