import { afterAll, beforeAll, expect, it } from 'vitest'
import { toRequest } from '../../src/client.ts'
import { type OperationName, operations } from '../../src/contract/index.ts'
import type { Operation } from '../../src/contract/operation.ts'
import { makeCaller } from '../support/app.ts'
import { createFullRequests } from '../support/contract/full-requests.ts'
import {
  AS_ADDRESS,
  forms,
  getMaxBytes,
  isInShare,
  jsonBytes,
  type Kind,
  kinds,
  shapes,
  textWithin,
} from '../support/contract/largest-inputs.ts'
import {
  type LoopRequest,
  type LoopResponse,
  type LoopWatch,
  openLoopWatch,
} from '../support/contract/loop-watch.ts'
import {
  type Field,
  fillLists,
  findSlots,
  getListLimits,
  textFields,
  withValue,
} from '../support/contract/text-fields.ts'
import { createRequests, makeWorld, type World } from '../support/contract/world.ts'
import { type Credentials, getCredential, openTestServer, type TestServer } from '../support/http/server.ts'
import type { ServerProcess } from '../support/http/server-processes.ts'
import { isSelected } from '../support/run/is-selected.ts'

// Tests that no input of any operation, valid or invalid, blocks the event loop for more than 100 ms. The fields come
// from the contract, so new operations are tested automatically. Every distinct field gets every kind of text once;
// fields with the same name, checks and transforms count as one, and stored short texts get a third of the kinds. In
// addition, each operation gets one kind in 24. `bin/test` runs a fifth of these cases; see `isSelected`.

const USUAL_BODY_BYTES = 64 * 1024
/** Node.js rejects longer URLs. */
const MAX_QUERY_BYTES = 14_000
const MAX_CSV = 4 * 1024 * 1024
/** Reserved for the rest of the body. */
const REST_BYTES = 4_000
const FIELDS_PER_REQUEST = 4
/** Each operation gets one in this many kinds. */
const SHARE = 24

const all = Object.entries(operations) as [OperationName, Operation][]
const hasBody = ({ method }: Operation): boolean => method !== 'GET' && method !== 'DELETE'
const getBodyLimit = (operation: Operation): number => operation.bodyLimitBytes ?? USUAL_BODY_BYTES
const isInPath = ({ path }: Operation, field: string | number | undefined) => path.includes(`{${field}}`)
const once = <T>(make: (operation: Operation) => T): ((operation: Operation) => T) => {
  const made = new Map<Operation, T>()
  return operation => made.getOrInsertComputed(operation, () => make(operation))
}
const isOwnShare = (operation: Operation, kind: Kind, share: number): boolean =>
  isInShare(kind, Object.values(operations).indexOf(operation as never), share)
const getFields = once(operation =>
  textFields(operation.input).filter(({ place }) => !isInPath(operation, place[0])),
)
const getLimits = once(({ input }) => getListLimits(input))
/** Returns the bytes available for strings. */
const getMaxTextBytes = (operation: Operation, kind: Kind): number =>
  getMaxBytes(kind, Object.values(operations).indexOf(operation as never), getBodyLimit(operation)) -
  REST_BYTES
const inQuery = (text: string): number => encodeURIComponent(text.toWellFormed()).length

let home: TestServer
let watch: LoopWatch
let own: World & Credentials

beforeAll(async () => {
  home = await openTestServer()
  own = await makeOwnWorld()
  watch = await openLoopWatch(home.app)
  await Promise.all(watch.servers.map(warmUp))
  watch.drainErrors()
})
afterAll(async () => {
  await watch[Symbol.asyncDispose]()
  await home[Symbol.asyncDispose]()
})

async function makeOwnWorld(): Promise<World & Credentials> {
  const caller = await makeCaller(home.app)
  return { ...(await makeWorld(home.app, caller)), ...(await home.createCredentials(caller)) }
}

const headersFor = (name: OperationName, by: Credentials): Record<string, string> => {
  const { token, headers } = getCredential(operations[name], by)
  return token ? { authorization: `Bearer ${token}` } : (headers ?? {})
}

const toLoopRequest = (name: OperationName, input: unknown, by: Credentials, about: string): LoopRequest => {
  const { method, path, body } = toRequest(name, input as never)
  return {
    label: `${name}, ${about}`,
    method,
    path: `/v1${path}`,
    headers: headersFor(name, by),
    body: body && JSON.stringify(body),
  }
}

/**
 * Calls operations so that their code is compiled before the measurements. Writes get an unknown field and are
 * rejected. DELETE operations have no body, would succeed, and are therefore not called.
 */
async function warmUp(server: ServerProcess): Promise<void> {
  const requests = createRequests(own)
  for (const [name, operation] of all) {
    const input = hasBody(operation) ? { ...requests[name], surprise: 1 } : requests[name]
    for (let round = 0; round < 3; round++)
      if (operation.method !== 'DELETE')
        await watch.send(server, toLoopRequest(name, input, own, 'warming up'))
  }
}

it('the meter detects a turn of more than 100 ms', async () => {
  const [server] = watch.servers
  await server!.takeLongestTurn()
  server!.burn(150)
  expect(await server!.takeLongestTurn()).toBeGreaterThanOrEqual(150)
  expect(await server!.takeLongestTurn()).toBeLessThan(100)
})

/**
 * Returns one field for each distinct set of checks in bodies and in URLs; prefers operations with the largest body
 * limit up to 256 KiB.
 */
function findDistinctFields(): { name: OperationName; operation: Operation; fields: Field[] }[] {
  const getSortKey = (operation: Operation) =>
    getBodyLimit(operation) > 256 * 1024 ? 0 : getBodyLimit(operation)
  const found = all
    .toSorted(([, a], [, b]) => getSortKey(b) - getSortKey(a))
    .flatMap(([name, operation]) => getFields(operation).map(field => ({ name, operation, fields: [field] })))
  const byChecks = Map.groupBy(found, ({ operation, fields }) => `${hasBody(operation)} ${fields[0]!.checks}`)
  return [...byChecks.values()].map(([first]) => first!)
}

it('no text in any field, up to the largest request, blocks the event loop for 100 ms', async () => {
  const requests = createRequests(own)
  const distinct = findDistinctFields()
  const jobs = kinds.flatMap(kind => [
    ...distinct
      .filter(({ name, fields }) => isSelected(`${name} ${fields[0]!.place.join('.')}: ${kind.name}`))
      .map(each => ({ ...each, kind })),
    ...all
      .filter(([, operation]) => isOwnShare(operation, kind, SHARE))
      .map(([name, operation]) => ({ name, operation, fields: getFields(operation), kind })),
  ])
  await watch.forAll(jobs, async (server, { name, operation, fields, kind }) => {
    const normal = requests[name] as Record<string, unknown>
    const limit = hasBody(operation) ? getMaxTextBytes(operation, kind) : MAX_QUERY_BYTES
    const groups = Array.from({ length: Math.ceil(fields.length / FIELDS_PER_REQUEST) }, (_, n) =>
      fields.slice(n * FIELDS_PER_REQUEST, (n + 1) * FIELDS_PER_REQUEST),
    )
    const start = hasBody(operation)
      ? normal
      : Object.fromEntries(Object.entries(normal).filter(([field]) => isInPath(operation, field)))
    for (const group of groups) {
      const text = hasBody(operation)
        ? textWithin(kind, Math.floor(limit / group.length))
        : textWithin(kind, Math.floor(limit / group.length), inQuery).toWellFormed()
      const input = group.reduce<unknown>((input, { place }) => withValue(input, place, text), start)
      const names = group.map(({ place }) => place.join('.')).join(' ')
      await watch.send(server, toLoopRequest(name, input, own, `${names}: ${kind.name}`))
    }
  })
  expect(watch.drainErrors()).toEqual([])
})

it('no JSON of any shape, in any field or as the body, blocks the event loop for 100 ms', async () => {
  const requests = createRequests(own)
  // JSON is checked by the same code everywhere, so each operation gets one shape in eight.
  const jobs = all
    .filter(([, operation]) => hasBody(operation))
    .map(([name, operation], at) => ({
      name,
      operation,
      selected: Object.entries(shapes).filter((_, n) => (at + n) % 8 === 0),
    }))
  await watch.forAll(jobs, async (server, { name, operation, selected }) => {
    const { method, path, body } = toRequest(name, requests[name] as never)
    const request = { method, path: `/v1${path}`, headers: headersFor(name, own) }
    const fields = Object.keys(operation.input.shape).filter(field => !isInPath(operation, field))
    for (const [shape, make] of selected) {
      await watch.send(server, {
        ...request,
        label: `${name}, body: ${shape}`,
        body: make(getBodyLimit(operation)),
      })
      for (const field of fields) {
        const { [field]: _replaced, ...rest } = (body ?? {}) as Record<string, unknown>
        const start = JSON.stringify(rest).replace(/\}$/, Object.keys(rest).length > 0 ? ',' : '')
        const value = make(USUAL_BODY_BYTES - start.length - field.length - 10)
        await watch.send(server, {
          ...request,
          label: `${name}, ${field}: ${shape}`,
          body: `${start}"${field}":${value}}`,
        })
      }
    }
  })
  expect(watch.drainErrors()).toEqual([])
})

/** Fields without long text: phone numbers, time zones, hosts, profiles, IDs, existing opt-outs and recipients. */
const acceptsNoLongText =
  /(phone|phoneNumber|fromNumber|transferNumber|timezone|host|domain|baseUrl|linkedinUrl|assistantId|conversationId)$|^removeOptOut |^erasePerson expectedPerson$|^mergePersons expectedNames\.0$|^composeEmail recipients\.to\.0\.email$/

/** For each field, whether it accepted a string of any kind. */
const accepted = new Map<string, boolean>()
/** For each request, whether it was accepted with long strings. */
const acceptedRequests = new Map<string, boolean>()
/** The kinds that fields have accepted, with the name and checks of the field. */
const acceptedPairs = new Set<string>()
const getPairKey = ({ name, checks }: Field, kind: Kind): string => `${kind.name} ${name} ${checks}`
/** The form in which a field accepts a plain word. Other kinds try it first, as one error can hide another. */
const learned = new Map<string, number>()
const plain = kinds.find(({ name }) => name === 'a long word')!

/**
 * Sends a request with strings of this kind at full length. Retries rejected strings in other forms and finally with
 * their normal values. Skips the other forms if a plain word has shown which form the field accepts. Repeats one in
 * eight accepted requests with full lists.
 */
async function sendLargest(
  server: ServerProcess,
  name: OperationName,
  normal: object,
  kind: Kind,
  by: Credentials,
): Promise<LoopResponse> {
  const operation: Operation = operations[name]
  const limit = hasBody(operation) ? getMaxTextBytes(operation, kind) : MAX_QUERY_BYTES
  const slots = findSlots(normal, getFields(operation)).map(({ place, field }) => {
    const form = learned.get(`${name} ${place.join('.')}`)
    return { place, field, form: form ?? 0, isLearned: kind !== plain && form !== undefined }
  })
  const share = Math.floor(limit / Math.max(1, slots.length))
  for (let round = 0; ; round++) {
    let input: unknown = normal
    for (const { place, field, form } of slots) {
      const text = forms[form]?.(
        kind,
        Math.min(field.maxLength, share),
        hasBody(operation) ? jsonBytes : inQuery,
        share,
      )
      if (text !== undefined) input = withValue(input, place, hasBody(operation) ? text : text.toWellFormed())
    }
    const names = slots.map(({ place }) => place.join('.')).join(' ')
    const response = await watch.send(
      server,
      toLoopRequest(name, input, by, `${names}: ${kind.name}, at full length`),
    )
    // After a conflict, addresses are retried in another form, because they may already be in use. A conflict about a
    // name shows that the request was read completely.
    const addressSlots = slots.filter(({ form }) => form === AS_ADDRESS || form === forms.length - 1)
    if (names !== '' && !oncePerWorld.test(name)) {
      const key = `${name} ${names}`
      const isRead = response.status === 200 || (response.status === 409 && addressSlots.length === 0)
      acceptedRequests.set(key, acceptedRequests.get(key) === true || isRead)
    }
    if (response.status === 200) {
      for (const { place, field, form } of slots) {
        const key = `${name} ${field.place.join('.')}`
        accepted.set(key, accepted.get(key) === true || form < forms.length)
        acceptedPairs.add(getPairKey(field, kind))
        if (kind === plain) learned.set(`${name} ${place.join('.')}`, form)
      }
      const isFilled = hasBody(operation) && isOwnShare(operation, kind, 8)
      const full = isFilled ? fillLists(input, getLimits(operation), limit) : input
      if (full !== input)
        await watch.send(server, toLoopRequest(name, full, by, `lists full of ${kind.name}`))
      return response
    }
    const rejected =
      response.status === 400 ? findRejected(response, slots) : response.status === 409 ? addressSlots : []
    if (rejected.length === 0 || round > 40) return response
    for (const slot of rejected) slot.form = slot.isLearned ? forms.length : slot.form + 1
  }
}

/** Returns the strings that have another form and that the error names, or all of them if it names none. */
function findRejected<S extends { place: (string | number)[]; form: number }>(
  { text }: LoopResponse,
  slots: S[],
): S[] {
  const { details = [] } = JSON.parse(text) as { details?: { path: string }[] }
  const left = slots.filter(({ form }) => form < forms.length)
  const named = left.filter(({ place }) =>
    details.some(({ path }) => {
      const [a, b] = [`${place.join('.')}.`, `${path}.`]
      return path !== '' && (a.startsWith(b) || b.startsWith(a))
    }),
  )
  return named.length > 0 ? named : left
}

/** Operations that end something or contact another server, which run only once per world. */
const oncePerWorld =
  /^(addMailboxAlias|archive|unarchive|remove|revoke|end|disconnect|delete|decline|complete|skip|accept|approve|withdraw|launch|send|resolve|pause|resume|rotate|updateMember|verify|check)/

/**
 * Reports whether a field gets this kind. Fields of short strings get a third of the kinds, because short
 * strings cannot block the event loop for long.
 */
const isDue = ({ maxLength }: { maxLength: number }, kind: Kind, name: string): boolean =>
  maxLength > 1000 || isInShare(kind, name.length, 3)

/** Stores texts of these kinds in an account, reads and previews them, and launches campaigns with them. */
async function exerciseWorld(
  server: ServerProcess,
  [n, kindsOfWorld]: [number, readonly Kind[]],
): Promise<void> {
  const world = await makeOwnWorld()
  let fuller = createFullRequests(world, world.mark)
  const requestsFor = (name: OperationName): object[] => [
    createRequests(world)[name],
    ...(fuller[name] ?? []),
  ]
  const usual = all.filter(([name]) => !oncePerWorld.test(name) && !name.startsWith('import'))
  for (const [at, kind] of [plain, ...kindsOfWorld].entries()) {
    fuller = createFullRequests(world, `${world.mark}n${at}`)
    const largest = (name: OperationName, normal: object) => sendLargest(server, name, normal, kind, world)
    for (const [name, operation] of usual) {
      if (operation.method === 'GET') continue
      for (const normal of requestsFor(name)) {
        const isNew = findSlots(normal, getFields(operation)).some(
          ({ field }) => isDue(field, kind, name) && !acceptedPairs.has(getPairKey(field, kind)),
        )
        const isDueNow = isNew && isSelected(`${name}: ${kind.name}`)
        if (!isDueNow && kind !== plain && !isOwnShare(operation, kind, SHARE)) continue
        const response = await largest(name, normal)
        if (name === 'createCampaign' && response.status === 200)
          await launch(JSON.parse(response.text), largest)
      }
    }
    for (const [name, operation] of usual)
      if (operation.method === 'GET' && isOwnShare(operation, kind, 8) && isSelected(`${name}: ${kind.name}`))
        for (const normal of requestsFor(name)) await largest(name, normal)
  }
  // Operations with texts come first, because the others remove objects. The order varies between worlds, because for
  // example a task can be completed or skipped, but not both.
  const { texts = [], rest = [] } = Object.groupBy(
    all.filter(([name]) => oncePerWorld.test(name)),
    ([, operation]) => (getFields(operation).length > 0 ? 'texts' : 'rest'),
  )
  for (const [name] of [...(n % 2 === 0 ? texts : texts.toReversed()), ...rest])
    for (const normal of requestsFor(name).toReversed())
      await sendLargest(server, name, normal, kindsOfWorld[0]!, world)

  async function launch(
    { id: campaignId, steps }: { id: string; steps: { id: string }[] },
    largest: (name: OperationName, normal: object) => Promise<LoopResponse>,
  ): Promise<void> {
    const [people] = fuller.addProspectsToCampaign!
    await largest('addProspectsToCampaign', { ...people, campaignId })
    for (const { id: stepId } of steps) {
      await largest('previewCampaign', { campaignId, stepId })
      await largest('previewCampaign', { ...fuller.previewCampaign![0], campaignId, stepId })
    }
    await largest('launchCampaign', { campaignId })
  }
}

it('no text blocks the event loop for 100 ms when it is stored, read, previewed or used in a launched campaign', async () => {
  const worlds = [0, 1].map(n => kinds.filter((_, at) => at % 2 === n))
  await watch.forAll(worlds.entries(), exerciseWorld)
  expect(watch.drainErrors()).toEqual([])
  const neverAccepted = [...accepted]
    .filter(([field, isAccepted]) => !isAccepted && !acceptsNoLongText.test(field))
    .map(([field]) => field)
  expect(neverAccepted).toEqual([])
  const rejectedRequests = [...acceptedRequests]
    .filter(([, isAccepted]) => !isAccepted)
    .map(([request]) => request)
  expect(rejectedRequests).toEqual([])
})

it('no import of any file blocks the event loop for 100 ms', async () => {
  const world = await makeOwnWorld()
  const requests = createRequests(world)
  const imports = all.map(([name]) => name).filter(name => name.startsWith('import'))
  // For kinds without CSV special characters, one form suffices.
  const jobs = kinds.flatMap((kind, at) =>
    (['file', 'cells', 'cell'] as const)
      .filter((_, n) => /[",;\r\n]/.test(kind.fill(40)) || (at + n) % 3 === 0)
      .map((form, n) => ({
        name: imports[(at + n) % imports.length]!,
        kind,
        form,
      })),
  )
  await watch.forAll(jobs, (server, { name, kind, form }) => {
    const normal = requests[name] as { csv: string }
    const [header, row = ''] = normal.csv.split('\n')
    const cellsIn = (count: number) =>
      Array.from({ length: count }, (_, n) => `${n}${row}${kind.fill(10 + (n % 30))}\n`).join('')
    const files = {
      file: () => kind.fill(MAX_CSV),
      cells: () => `${header}\n${cellsIn(200)}`,
      cell: () => `${header}\n"${kind.fill(99_000)}"\n${row}\n"${kind.fill(200_000)}"\n${row}\n`,
    }
    const fill = (length: number) => files[form]().slice(0, length)
    const csv = textWithin({ ...kind, fill }, getBodyLimit(operations[name]) - REST_BYTES)
    return watch.send(server, toLoopRequest(name, { ...normal, csv }, world, `${form} of ${kind.name}`))
  })
  expect(watch.drainErrors()).toEqual([])
})
