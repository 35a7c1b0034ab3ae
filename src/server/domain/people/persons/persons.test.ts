import { randomUUIDv7 } from 'node:crypto'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import { waitForLock } from '../../../../../test/support/db/lock-waits.ts'
import {
  makeMailCampaign,
  openWorker,
  parseEnvelopeAddress,
  type Worker,
} from '../../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../../test/support/mail/scripted-smtp.ts'
import type { RawInput } from '../../../../contract/index.ts'
import { inAccount } from '../../../kernel/context.ts'
import { recordOptOutRequest } from '../../dnc/record-opt-out-request.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

/** Creates an account with these people, in this order. */
async function makeAccount(...data: RawInput<'addProspectsToCampaign'>['data']) {
  const caller = await makeCaller(app)
  const { id } = await caller.call('createCampaign', { name: 'Spring' })
  const added = await caller.call('addProspectsToCampaign', { campaignId: id, data })
  return { caller, personIds: added.data.map(({ personId }) => personId!) }
}

describe('persons', () => {
  it('are found by any spelling of their email, or by company', async () => {
    const { caller, personIds } = await makeAccount(
      { email: 'ada@bücher.example' },
      { email: 'ben@x.example' },
    )
    const { data } = await caller.call('listPersons', { email: ' <ADA@xn--bcher-kva.example>' })
    expect(data.map(({ id }) => id)).toEqual([personIds[0]])
    const { companyId } = data[0]!
    expect((await caller.call('listPersons', { companyId })).data).toEqual(data)
    expect((await caller.call('listPersons', { email: 'nobody@x.example' })).data).toEqual([])
    await expect(caller.call('listPersons', { email: 'nobody' })).rejects.toMatchObject({
      details: [{ path: 'email' }],
    })
  })

  it('are created once, with their company', async () => {
    const caller = await makeCaller(app)
    const input = {
      firstName: 'Ada',
      email: 'ADA@Analytical.example',
      title: 'Countess',
      company: 'Analytical',
    }
    const created = await caller.call('createPerson', input)
    expect(created).toMatchObject({ firstName: 'Ada', email: 'ada@analytical.example', title: 'Countess' })
    const { name, domain } = await caller.call('getCompany', { companyId: created.companyId! })
    expect({ name, domain }).toEqual({ name: 'Analytical', domain: 'analytical.example' })
    await expect(caller.call('createPerson', { email: 'ada@analytical.example' })).rejects.toMatchObject({
      code: 'Conflict',
      details: [{ path: 'personId', message: created.id }],
    })
    const ben = await caller.call('createPerson', {
      email: 'ben@analytical.example',
      timezone: 'Europe/London',
    })
    expect(ben).toMatchObject({ companyId: created.companyId, timezone: 'Europe/London' })
  })

  it.each([
    ['too little to identify them', { firstName: 'Ada', company: 'Analytical' }, ''],
    ['an invalid address', { email: 'ada' }, 'email'],
    ['an unknown time zone', { email: 'ada@x.example', timezone: 'London' }, 'timezone'],
  ])('are not created with %s', async (_what, input, path) => {
    const caller = await makeCaller(app)
    await expect(caller.call('createPerson', input)).rejects.toMatchObject({ details: [{ path }] })
    expect((await caller.call('listPersons', {})).data).toEqual([])
  })

  it('are updated with canonical values; null clears a field, and omitted fields keep their values', async () => {
    const { caller, personIds } = await makeAccount({
      email: 'ada@x.example',
      firstName: 'Ada',
      jobTitle: 'CTO',
    })
    await caller.call('updateAccount', { defaultCountry: 'GB' })
    const { inFlight, ...changed } = await caller.call('updatePerson', {
      personId: personIds[0]!,
      email: 'ADA.B@X.example',
      linkedinUrl: 'linkedin.com/in/Ada/',
      phone: '020 7946 0018',
      timezone: 'Europe/London',
      title: null,
      lastName: '',
    })
    expect(changed).toMatchObject({
      firstName: 'Ada',
      lastName: null,
      email: 'ada.b@x.example',
      linkedinUrl: 'https://www.linkedin.com/in/ada',
      phone: '+442079460018',
      timezone: 'Europe/London',
      title: null,
    })
    expect(inFlight).toBe(0)
    expect(await caller.call('updatePerson', { personId: personIds[0]! })).toEqual(changed)
    const cleared = await caller.call('updatePerson', { personId: personIds[0]!, timezone: null })
    expect(cleared).not.toHaveProperty('timezone')
  })

  it('are not updated with invalid values; the error names each field', async () => {
    const { caller, personIds } = await makeAccount({ email: 'ada@x.example' })
    await expect(
      caller.call('updatePerson', {
        personId: personIds[0]!,
        email: 'x',
        linkedinUrl: 'x',
        phone: 'x',
        timezone: '+01:00',
      }),
    ).rejects.toMatchObject({
      code: 'ValidationError',
      details: ['email', 'linkedinUrl', 'phone', 'timezone'].map(path => ({ path })),
    })
  })

  it('are not updated with an email or profile that another person has', async () => {
    const { caller, personIds } = await makeAccount(
      { email: 'ada@x.example', linkedinUrl: 'linkedin.com/in/ada' },
      { email: 'ben@x.example' },
    )
    const personId = personIds[1]!
    for (const [field, value] of [
      ['email', 'ada@x.example'],
      ['linkedinUrl', 'https://www.linkedin.com/in/ada'],
    ]) {
      await expect(caller.call('updatePerson', { personId, [field!]: value })).rejects.toMatchObject({
        code: 'Conflict',
        message: expect.stringContaining(value!),
      })
    }
    expect(await caller.call('updatePerson', { personId, email: 'ben@x.example' })).toMatchObject({
      email: 'ben@x.example',
      linkedinUrl: null,
    })
  })

  it('are not found outside their account', async () => {
    const { personIds } = await makeAccount({ email: 'ada@x.example' })
    const stranger = await makeCaller(app)
    for (const personId of [personIds[0]!, randomUUIDv7()]) {
      await expect(stranger.call('getPerson', { personId })).rejects.toMatchObject({ code: 'NotFound' })
      await expect(stranger.call('updatePerson', { personId, title: 'X' })).rejects.toMatchObject({
        code: 'NotFound',
      })
    }
  })
})

describe('a person who opted out', () => {
  const contact = { email: 'ada@x.example', linkedinUrl: 'linkedin.com/in/ada', phone: '+442079460018' }
  it.each([
    ['email address', 'ada@x.example', { email: 'ada@y.example' }, 'otherEmails'],
    ['only email address', 'ada@x.example', { email: null }, 'otherEmails'],
    [
      'LinkedIn profile',
      'https://www.linkedin.com/in/ada',
      { linkedinUrl: 'linkedin.com/in/ada-2' },
      'otherLinkedinUrls',
    ],
    ['phone number', '+442079460018', { phone: '+442079460019' }, 'otherPhones'],
  ])('stays opted out when the %s is replaced or cleared', async (_what, identifier, change, others) => {
    const { caller, personIds } = await makeAccount(contact)
    const personId = personIds[0]!
    const [prospect] = (await caller.call('listProspects', {})).data
    await caller.call('addOptOuts', { identifiers: [{ identifier }] })
    expect(await caller.call('updatePerson', { personId, ...change })).toMatchObject({
      isOptedOut: true,
      [others]: [identifier],
    })
    await expect(caller.call('resumeProspect', { prospectId: prospect!.id })).rejects.toMatchObject({
      code: 'Conflict',
    })
    await caller.call('removeOptOut', { identifier })
    expect(await caller.call('updatePerson', { personId, title: 'CTO' })).not.toHaveProperty('isOptedOut')
  })

  it('keeps the address that opted out, which nobody else can have', async () => {
    const { caller, personIds } = await makeAccount(contact, { email: 'eve@x.example' })
    const [personId = '', otherId = ''] = personIds
    await caller.call('addOptOuts', { identifiers: [{ identifier: contact.email }] })
    const changed = await caller.call('updatePerson', { personId, email: 'ada@y.example', title: 'CTO' })
    expect(changed.otherEmails).toEqual([contact.email])
    await expect(
      caller.call('updatePerson', { personId: otherId, email: contact.email }),
    ).rejects.toMatchObject({ code: 'Conflict', message: expect.stringContaining(personId) })
  })

  it('stays opted out when the address is replaced while the opt-out is being recorded', async () => {
    const caller = await makeCaller(app)
    const { accountId } = caller
    const { id: personId } = await caller.call('createPerson', { email: 'ada@x.example' })
    const recorded = Promise.withResolvers<void>()
    const released = Promise.withResolvers<void>()
    const recording = inAccount(app.db.work, accountId, async sql => {
      const call = { personId, emails: [], phone: '+442079460018', callId: randomUUIDv7() }
      await recordOptOutRequest({ app, sql, accountId, actor: 'call' }, { source: 'call', ...call })
      recorded.resolve()
      await released.promise
    })
    await Promise.race([recorded.promise, recording])
    const updating = caller.call('updatePerson', { personId, email: 'ada@y.example' })
    await Promise.race([updating, waitForLock(app)])
    released.resolve()
    await Promise.all([recording, updating])
    expect(await caller.call('getPerson', { personId })).toMatchObject({ isOptedOut: true })
  })

  it('loses identifiers that are not on the Do Not Contact list when they are replaced', async () => {
    const { caller, personIds } = await makeAccount(contact)
    await caller.call('addOptOuts', { identifiers: [{ identifier: contact.phone }] })
    const changed = await caller.call('updatePerson', { personId: personIds[0]!, email: 'ada@y.example' })
    expect(changed).not.toHaveProperty('otherEmails')
  })
})

describe('an email address that is corrected while an email to it is queued for a retry', () => {
  const MINUTE_MS = 60_000
  const corrected = 'corrected@acme.example'

  /** Lists the recipients of delivered emails, in order. */
  const listDelivered = ({ transfers }: ScriptedSmtp) =>
    transfers.filter(({ isComplete }) => isComplete).map(({ envelope }) => parseEnvelopeAddress(envelope[1]!))

  /** Creates a campaign with two people; the server deferred the email to one of them. */
  async function makeDeferred(server: ScriptedSmtp, worker: Worker) {
    server.script = (step, line) =>
      step === 'RCPT' && line.includes('person0') ? '450 4.1.2 no such domain' : undefined
    const campaign = await makeMailCampaign(app, [server], 2)
    await worker.workAfter(0)
    const [tried, other] = campaign.emails as [string, string]
    expect(listDelivered(server)).toEqual([other])
    server.script = () => undefined
    const { data } = await campaign.owner.call('listPersons', { email: tried })
    const listIds = async () => (await campaign.messages()).map(({ id }) => id).sort()
    return { ...campaign, personId: data[0]!.id, tried, other, listIds }
  }

  it('receives the email instead of the old address', async () => {
    await using server = await ScriptedSmtp.open()
    await using worker = openWorker(app)
    const { owner, personId, other, prospects, listIds } = await makeDeferred(server, worker)
    await owner.call('updatePerson', { personId, email: corrected })
    expect(await listIds()).toHaveLength(1)
    await worker.workAfter(0)
    expect(listDelivered(server)).toEqual([other, corrected])
    expect(await listIds()).toHaveLength(2)
    expect((await prospects()).map(({ status }) => status)).toEqual(['completed', 'completed'])
  })

  it('still receives the email when only its spelling or another field changes', async () => {
    await using server = await ScriptedSmtp.open()
    await using worker = openWorker(app)
    const { owner, personId, other, tried, listIds } = await makeDeferred(server, worker)
    const before = await listIds()
    await owner.call('updatePerson', { personId, email: ` <${tried.toUpperCase()}>` })
    await owner.call('updatePerson', { personId, title: 'CTO' })
    await worker.workAfter(10 * MINUTE_MS)
    expect(listDelivered(server)).toEqual([other, tried])
    expect(await listIds()).toEqual(before)
  })

  it('stops an email that a worker has already claimed, which is then composed again', async () => {
    await using server = await ScriptedSmtp.open()
    await using worker = openWorker(app)
    const { owner, emails } = await makeMailCampaign(app, [server], 1)
    const { data } = await owner.call('listPersons', { email: emails[0]! })
    server.forget()
    server.script = step => (step === 'EHLO' ? 'silent' : undefined)
    const working = worker.workAfter(0)
    await server.until(() => server.commands.some(line => line.startsWith('EHLO')))
    await owner.call('updatePerson', { personId: data[0]!.id, email: corrected })
    server.script = () => undefined
    server.answer('250 scripted.test')
    await working
    expect(server.transfers).toHaveLength(1)
    expect(listDelivered(server)).toEqual([])
    await worker.workAfter(10 * MINUTE_MS)
    expect(listDelivered(server)).toEqual([corrected])
  })
})
