import fc from 'fast-check'
import {
  type DocumentedOperation,
  type DocumentedParameter,
  documentedOperations,
  resolve,
} from './document-check.ts'
import {
  arbitraryFor,
  hostileTexts,
  type Mutation,
  mutate,
  mutation,
  reference,
  toJson,
} from './fuzz-values.ts'

/** The token that a request carries; `stranger` is the owner of another account. */
export type Principal = 'owner' | 'member' | 'viewer' | 'readOnly' | 'stranger' | 'broken' | 'nobody'

export type FuzzRequest = {
  /** The documented path; undefined if the request was changed to match no documented path. */
  target: string | undefined
  operationId: string
  method: string
  path: string
  principal: Principal
  headers: Record<string, string>
  body?: string
  encoding: BufferEncoding
}

const weighted = <T>(...pairs: [number, T][]): fc.Arbitrary<T> =>
  fc.oneof(...pairs.map(([weight, value]) => ({ weight, arbitrary: fc.constant(value) })))

/** Generates the value one time in `times`, and undefined otherwise. */
const rarely = <T>(arbitrary: fc.Arbitrary<T>, times: number) =>
  fc.oneof({ weight: times - 1, arbitrary: fc.constant(undefined) }, { weight: 1, arbitrary })

const principal = weighted<Principal>(
  [80, 'owner'],
  [6, 'member'],
  [3, 'viewer'],
  [3, 'readOnly'],
  [3, 'stranger'],
  [2, 'broken'],
  [2, 'nobody'],
)

const unknownId = '01980000-0000-7000-8000-00000000dead'
const badIds = [
  ...[
    '1',
    'null',
    '%00',
    '%',
    '%zz',
    '%2F',
    '..',
    '.',
    '%2e%2e%2f',
    '',
    'a'.repeat(500),
    "'",
    '*',
    '%ED%A0%80',
  ],
  ...[unknownId, `${unknownId}%20`, `{${unknownId}}`, unknownId.replaceAll('-', ''), `${unknownId}%0a`],
]
const badQueries = [
  ...['limit=0', 'limit=101', 'limit=abc', 'limit=1e2', 'limit=010', 'limit=', 'limit=%31', 'limit[]=1'],
  ...['limit=1&limit=2', 'limit=99999999999999999999', 'limit[a]=1', 'limit=-1', 'limit=1.0', 'limit=%00'],
  ...['surprise=1', '__proto__=1', '__proto__[a]=1', 'constructor=1', 'a=%zz', 'a=%', '%=1', '&&&==&', '='],
  ...['cursor=', 'cursor=abc', 'cursor=%00', 'cursor=a&cursor=b', `cursor=${'A'.repeat(4_000)}`, 'cursor=ÿ'],
  ...[
    'unread=false',
    'unread=1',
    'unread=true&unread=true',
    'onlyLastMessagePerThread=TRUE',
    'tag=%ED%A0%80',
  ],
  ...['status=nope', 'status[]=sent', 'status=draft,,', 'type=', 'prospectId=1', `repId=${unknownId}`],
  ...['email=%00', 'campaignId=@campaignId:0@&campaignId=@campaignId:1@', `tag=${'x'.repeat(9_000)}`],
]
const badBodies = [
  ...[
    '',
    '{',
    '}',
    '[]',
    'null',
    '"text"',
    '1',
    'true',
    'NaN',
    '{"a":}',
    "{'a':1}",
    '{"a":1}x',
    '\ufeff{}',
    '\0',
  ],
  ...['{"__proto__":{"a":1}}', '{"constructor":{"prototype":{}}}', '{"a":1,"a":2}', '{"a":"\\ud800"}'],
  ...['[', '{"a":'].map(text => text.repeat(20_000)),
  ...['a=1&b=2', '<?xml version="1.0"?>', `{"name":"${'x'.repeat(70_000)}"}`, ' '.repeat(1_000)],
]
const oddHeaders: Record<string, string[]> = {
  'content-type': [
    ...['text/plain', 'application/x-www-form-urlencoded', 'multipart/form-data', 'application/vnd.api+json'],
    ...[
      'application/json; charset=utf-16',
      'APPLICATION/JSON',
      'application/json;;=',
      ';',
      'application/json, a',
    ],
  ],
  'x-account-id': ['@accountId:0@', '@accountId:1@', 'nonsense', ' ', 'é', `{${unknownId}}`],
  'x-request-id': ['é', 'a b', 'x'.repeat(200), 'sane-one', '<script>'],
  'idempotency-key': ['shared', 'é', 'x'.repeat(256), ' ', '\t', 'x'.repeat(255)],
  'content-encoding': ['gzip', 'br'],
  accept: ['text/html', 'image/*', ';;;'],
  'accept-encoding': ['gzip, br'],
  range: ['bytes=0-1'],
  'if-none-match': ['*'],
  expect: ['100-continue', 'something'],
  connection: ['close', 'x-request-id'],
  upgrade: ['websocket', 'h2c'],
  origin: ['https://evil.example', 'null'],
  cookie: ['a=b; '.repeat(500), '__Host-session=x'],
  'x-http-method-override': ['DELETE'],
  'x-forwarded-for': ['1.2.3.4, é'],
  'x-many': ['x'.repeat(8_000)],
}
const oddHeader = fc
  .constantFrom(...Object.entries(oddHeaders))
  .chain(([name, values]) => fc.constantFrom(...values).map(value => [name, value] as const))

/** Generates requests as documented, most of them with a deviation. */
const arbitraryRequest = ({
  path,
  method,
  operation,
}: (typeof documentedOperations)[number]): fc.Arbitrary<FuzzRequest> => {
  const parameters = operation.parameters.map(resolve<DocumentedParameter>)
  const hasBody = operation.requestBody !== undefined
  const idNames = parameters.filter(one => one.in === 'path').map(one => one.name)
  return fc
    .record({
      principal,
      ids: fc.tuple(
        ...idNames.map(name =>
          fc.oneof(
            { weight: 12, arbitrary: fc.nat(50).map(n => reference(name, n)) },
            { weight: 1, arbitrary: fc.constantFrom(...badIds) },
          ),
        ),
      ),
      query: arbitraryQuery(parameters.filter(one => one.in === 'query')),
      body: arbitraryBody(operation),
      otherMethod: rarely(
        fc.constantFrom('HEAD', 'OPTIONS', 'PUT', 'DELETE', 'POST', 'PROPFIND', 'TRACE'),
        30,
      ),
      otherPath: rarely(fc.constantFrom('/', '//', '/x', '/%', '/..', '/\u007f'), 60),
      headers: fc.oneof(
        { weight: 8, arbitrary: fc.constant([]) },
        { weight: 1, arbitrary: fc.array(oddHeader, { minLength: 1, maxLength: 3 }) },
      ),
    })
    .map(given => ({
      target: given.otherPath ? undefined : path,
      operationId: operation.operationId,
      method: given.otherMethod ?? method,
      path: fill(path, given.ids) + (given.otherPath ? encodeURI(given.otherPath) : '') + given.query,
      principal: given.principal,
      headers: {
        ...(hasBody && { 'content-type': 'application/json' }),
        ...Object.fromEntries(given.headers),
      },
      ...given.body,
    }))
}

const fill = (path: string, ids: string[]): string => {
  let next = 0
  return path.replace(/\{\w+\}/g, () => ids[next++] ?? '')
}

function arbitraryQuery(parameters: DocumentedParameter[]): fc.Arbitrary<string> {
  const known = fc
    .record(Object.fromEntries(parameters.map(one => [one.name, arbitraryFor(one.schema, one.name)])), {
      requiredKeys: [],
    })
    // More than two filters would make most pages empty.
    .chain(all => {
      const entries = Object.entries(all as Record<string, unknown>)
      return fc.subarray(entries, { maxLength: Math.min(2, entries.length) })
    })
    .map(entries =>
      entries.flatMap(([name, value]) =>
        [value].flat().map(one => `${name}=${encodeURIComponent(String(one).toWellFormed())}`),
      ),
    )
  const odd = rarely(fc.constantFrom(...badQueries), parameters.length > 0 ? 4 : 20)
  return fc.tuple(known, odd).map(([pairs, oddPair]) => {
    const query = [...pairs, ...(oddPair === undefined ? [] : [oddPair])].join('&').replaceAll('%40', '@')
    return query && `?${query.replaceAll('%3A', ':').replaceAll('ÿ', '%FF')}`
  })
}

function arbitraryBody(
  operation: DocumentedOperation,
): fc.Arbitrary<{ body?: string; encoding: BufferEncoding }> {
  const { schema, example } = operation.requestBody?.content['application/json'] ?? {}
  const described = schema ? arbitraryFor(schema, '').map(value => value as object) : fc.constant({})
  // Few random bodies satisfy the rules that span several fields, so some bodies are the documented example.
  const good = example
    ? fc.oneof({ weight: 3, arbitrary: described }, { weight: 1, arbitrary: fc.constant(example as object) })
    : described
  const mutations = fc.oneof(
    { weight: 5, arbitrary: fc.constant<Mutation[]>([]) },
    { weight: schema ? 4 : 1, arbitrary: fc.array(mutation, { minLength: 1, maxLength: 3 }) },
  )
  const wellMade = fc.tuple(good, mutations).map(([value, changes]) => ({
    // There is a body if there is a schema or a change.
    ...((schema || changes.length > 0) && { body: toJson(changes.reduce<unknown>(mutate, value)) }),
    encoding: 'utf8' as BufferEncoding,
  }))
  const broken = fc.record({
    body: fc.constantFrom(...badBodies, ...hostileTexts),
    encoding: weighted<BufferEncoding>([6, 'utf8'], [1, 'latin1'], [1, 'utf16le']),
  })
  return fc.oneof({ weight: 15, arbitrary: wellMade }, { weight: 1, arbitrary: broken })
}

const requests = documentedOperations.map(arbitraryRequest)

/** Generates requests to all operations. */
export const anyRequest: fc.Arbitrary<FuzzRequest> = fc.oneof(...requests)
