/** The parts of /v1/openapi.json that the reference page shows. */
export type Schema = {
  $ref?: string
  type?: string | string[]
  format?: string
  description?: string
  const?: unknown
  enum?: unknown[]
  examples?: unknown[]
  default?: unknown
  anyOf?: Schema[]
  items?: Schema
  properties?: Record<string, Schema>
  required?: string[]
}

type Parameter = {
  name: string
  in: 'path' | 'query' | 'header'
  required?: boolean
  description?: string
  schema: Schema
}

type Content = { 'application/json': { schema: Schema; example?: unknown } }

type DocumentedOperation = {
  operationId: string
  summary: string
  description?: string
  tags: string[]
  'x-permission': string
  security?: object[]
  parameters: (Parameter | { $ref: string })[]
  requestBody?: { required: boolean; content: Content }
  responses: { 200: { content: Content } }
}

export type OpenApiDocument = {
  info: { title: string; version: string; description: string }
  paths: Record<string, Record<string, DocumentedOperation>>
  webhooks: Record<string, { post: { requestBody: { content: Content } } }>
  components: { schemas: Record<string, Schema>; parameters: Record<string, Parameter> }
}

type Entry = { name: string; summary: string; tag: string }

export type OperationEntry = Entry & {
  method: string
  /** Path below /v1, with the names of path parameters in braces. */
  path: string
  description: string
  permission: string
  /** True if only the web app may call the operation. API tokens are rejected. */
  needsSession: boolean
  parameters: Parameter[]
  body?: { schema: Schema; example?: unknown } | undefined
  response: { schema: Schema; example?: unknown }
}

export type EventEntry = Entry & { schema: Schema; example: unknown }

export type ReferenceEntry = OperationEntry | EventEntry

export const isOperation = (entry: ReferenceEntry): entry is OperationEntry => 'method' in entry

/** Returns each operation and webhook event once, with its section. */
export const toEntries = (document: OpenApiDocument): ReferenceEntry[] => [
  ...Object.entries(document.paths).flatMap(([path, methods]) =>
    Object.entries(methods).map(([method, operation]) => toOperation(document, method, path, operation)),
  ),
  ...Object.entries(document.webhooks).map(([name, { post }]) => ({
    name,
    summary: name,
    tag: 'Webhook events',
    ...toContent(post.requestBody),
  })),
]

function toOperation(
  { components }: OpenApiDocument,
  method: string,
  path: string,
  operation: DocumentedOperation,
): OperationEntry {
  const { operationId, summary, description = '', tags, parameters, requestBody, responses } = operation
  return {
    name: operationId,
    summary,
    description,
    tag: tags[0] ?? '',
    method: method.toUpperCase(),
    path,
    permission: operation['x-permission'],
    needsSession: operation.security !== undefined,
    parameters: parameters.map(part =>
      '$ref' in part ? components.parameters[part.$ref.split('/').at(-1)!]! : part,
    ),
    body: requestBody && toContent(requestBody),
    response: toContent(responses[200]),
  }
}

const toContent = ({ content }: { content: Content }) => {
  const { schema, example } = content['application/json']
  return { schema, example }
}

/** Returns the entries that contain every word of the query, in any of their fields. */
export function search(entries: ReferenceEntry[], query: string): ReferenceEntry[] {
  const words = query.toLowerCase().split(/\s+/).filter(Boolean)
  if (words.length === 0) return entries
  return entries.filter(entry => {
    const { path = '', description = '' } = entry as Partial<OperationEntry>
    const text = [entry.name, entry.summary, entry.tag, path, description].join(' ').toLowerCase()
    return words.every(word => text.includes(word))
  })
}
