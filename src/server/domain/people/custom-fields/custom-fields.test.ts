import { randomUUIDv7 } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import { makeCaller, openTestApp, type TestApp } from '../../../../../test/support/app.ts'
import {
  makeMailCampaignToLaunch,
  openWorker,
  parseEnvelopeAddress,
} from '../../../../../test/support/mail/mail-campaign.ts'
import { ScriptedSmtp } from '../../../../../test/support/mail/scripted-smtp.ts'
import type { RawInput } from '../../../../contract/index.ts'

let app: TestApp
beforeAll(async () => {
  app = await openTestApp({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
})
afterAll(() => app[Symbol.asyncDispose]())

const plan = { key: 'plan', label: 'Plan', type: 'choice' as const, choices: ['Free', 'Team'] }

async function makeAccount(...fields: RawInput<'createCustomField'>[]) {
  const caller = await makeCaller(app)
  const created = []
  for (const field of fields) {
    created.push(await caller.call('createCustomField', field))
    // Fields are sorted by the millisecond of their creation.
    await sleep(1)
  }
  const { id: personId } = await caller.call('createPerson', { email: 'ada@x.example' })
  return { caller, personId, fieldIds: created.map(({ id }) => id) }
}

describe('custom fields', () => {
  it('are listed newest first, and keep their key and type when updated', async () => {
    const { caller, fieldIds } = await makeAccount(
      { key: 'icebreaker', label: 'Icebreaker', type: 'text' },
      plan,
    )
    const changed = await caller.call('updateCustomField', {
      customFieldId: fieldIds[1]!,
      label: 'Current plan',
      choices: ['Free', 'Enterprise'],
    })
    expect(changed).toMatchObject({ ...plan, label: 'Current plan', choices: ['Free', 'Enterprise'] })
    const { data } = await caller.call('listCustomFields', {})
    expect(data[0]).toEqual(changed)
    expect(data[1]).toMatchObject({ objectType: 'custom_field', key: 'icebreaker', type: 'text' })
    expect(data[1]).not.toHaveProperty('choices')
  })

  it.each([
    ['the name of a built-in variable as key, regardless of case', { key: 'firstname' }, 'key'],
    ['a keyword of the template language as key', { key: 'contains' }, 'key'],
    ['a key that is not a valid variable name', { key: 'ice-breaker' }, 'key'],
    ['choices unless the type is choice', { choices: ['A'] }, 'choices'],
    ['the type choice but no choices', { type: 'choice' as const }, 'choices'],
    ['the same choice twice', { type: 'choice' as const, choices: ['Yes', 'YES'] }, 'choices'],
  ])('cannot be created with %s', async (_what, input, path) => {
    const caller = await makeCaller(app)
    const field = { key: 'icebreaker', label: 'Icebreaker', type: 'text' as const, ...input }
    await expect(caller.call('createCustomField', field)).rejects.toMatchObject({
      code: 'ValidationError',
      details: [{ path }],
    })
  })

  it('have keys that are unique per account regardless of case, even under concurrent requests', async () => {
    const { caller } = await makeAccount({ key: 'iceBreaker', label: 'Icebreaker', type: 'text' })
    const twice = { key: 'icebreaker', label: 'Again', type: 'text' as const }
    await expect(caller.call('createCustomField', twice)).rejects.toMatchObject({
      code: 'Conflict',
      message: expect.stringContaining('iceBreaker'),
    })
    const results = await Promise.allSettled([1, 2].map(() => caller.call('createCustomField', plan)))
    expect(results.map(({ status }) => status).sort()).toEqual(['fulfilled', 'rejected'])
    await makeAccount(plan)
  })

  it('are limited to 100 per account', async () => {
    const { caller } = await makeAccount()
    await app.owner`
      insert into custom_fields (account_id, id, key, label, type)
      select ${caller.accountId}, new_id(), 'field' || n, 'Field', 'text' from generate_series(1, 100) n`
    await expect(caller.call('createCustomField', plan)).rejects.toMatchObject({ code: 'Conflict' })
  })

  it('are managed by managers and read by everyone in the account', async () => {
    const { caller, fieldIds } = await makeAccount(plan)
    const member = await makeCaller(app, 'member', caller.accountId)
    expect((await member.call('listCustomFields', {})).data).toHaveLength(1)
    await expect(member.call('createCustomField', { ...plan, key: 'other' })).rejects.toMatchObject({
      code: 'Forbidden',
    })
    const stranger = await makeCaller(app)
    for (const customFieldId of [fieldIds[0]!, randomUUIDv7()]) {
      await expect(stranger.call('updateCustomField', { customFieldId, label: 'X' })).rejects.toMatchObject({
        code: 'NotFound',
      })
      await expect(stranger.call('deleteCustomField', { customFieldId })).rejects.toMatchObject({
        code: 'NotFound',
      })
    }
  })

  it('are deleted together with their values', async () => {
    const { caller, personId, fieldIds } = await makeAccount(plan, {
      key: 'seats',
      label: 'Seats',
      type: 'number',
    })
    await caller.call('updatePerson', { personId, custom: { plan: 'Team', seats: 12 } })
    await caller.call('deleteCustomField', { customFieldId: fieldIds[0]! })
    expect((await caller.call('getPerson', { personId })).custom).toEqual({ seats: 12 })
    await caller.call('createCustomField', plan)
    expect((await caller.call('getPerson', { personId })).custom).toEqual({ seats: 12 })
  })

  it('are not deleted while a campaign uses them', async () => {
    const { caller, fieldIds } = await makeAccount({ key: 'note', label: 'Note', type: 'text' })
    const steps = [{ subject: 'A note', body: '{Hi|Hello {{ firstName | append: note }}}' }]
    const { id: campaignId } = await caller.call('createCampaign', { name: 'Spring', steps })
    const remove = () => caller.call('deleteCustomField', { customFieldId: fieldIds[0]! })
    await expect(remove()).rejects.toMatchObject({
      code: 'Conflict',
      message: 'The campaign Spring uses {{ note }}: change its steps first.',
    })
    await caller.call('setCampaignSteps', {
      campaignId,
      steps: [{ subject: 'A note', body: 'No {{ email }}' }],
    })
    await expect(remove()).resolves.toEqual({ ok: true })
  })
})

describe('the custom values of a person', () => {
  const all: RawInput<'createCustomField'>[] = [
    { key: 'icebreaker', label: 'Icebreaker', type: 'text' },
    { key: 'seats', label: 'Seats', type: 'number' },
    { key: 'renewal', label: 'Renewal', type: 'date' },
    { key: 'deck', label: 'Deck', type: 'url' },
    plan,
  ]

  it('are stored in canonical form; null or blank text clears a value, and omitted keys keep theirs', async () => {
    const { caller } = await makeAccount(...all)
    const custom = {
      ...{ icebreaker: ' Your talk\nin Lisbon ', seats: '12.50', renewal: '2026-12-24' },
      ...{ deck: 'HTTPS://Acme.example/deck', plan: 'TEAM' },
    }
    const { id: personId, ...created } = await caller.call('createPerson', { email: 'ben@x.example', custom })
    expect(created.custom).toEqual({
      ...{ icebreaker: 'Your talk\nin Lisbon', seats: 12.5, renewal: '2026-12-24' },
      ...{ deck: 'https://acme.example/deck', plan: 'Team' },
    })
    const changed = await caller.call('updatePerson', {
      personId,
      custom: { icebreaker: null, deck: ' ', renewal: null, seats: 0 },
    })
    expect(changed.custom).toEqual({ seats: 0, plan: 'Team' })
    const { data } = await caller.call('listPersons', {})
    expect(data.map(person => person.custom)).toEqual([{ seats: 0, plan: 'Team' }, undefined])
  })

  it('are rejected together, each with its own error', async () => {
    const { caller, personId } = await makeAccount(...all)
    const custom = { seats: 'many', renewal: '24.12.2026', deck: 'javascript:alert(1)', plan: 'Pro', nope: 1 }
    await expect(caller.call('updatePerson', { personId, title: 'CTO', custom })).rejects.toMatchObject({
      details: [
        { path: 'custom.seats', message: 'must be a number' },
        { path: 'custom.renewal' },
        { path: 'custom.deck' },
        { path: 'custom.plan', message: 'must be one of: Free, Team' },
        {
          path: 'custom.nope',
          message: 'unknown field; custom fields of persons: icebreaker, seats, renewal, deck, plan',
        },
      ],
    })
    expect(await caller.call('getPerson', { personId })).toMatchObject({ title: null })
  })
})

describe('custom fields in templates', () => {
  const icebreaker = { key: 'icebreaker', label: 'Icebreaker', type: 'text' as const }
  const body = 'Hi {{ firstName }}, {{ icebreaker }}'

  it('are unknown variables until they exist', async () => {
    const caller = await makeCaller(app)
    const campaign = { name: 'Spring', steps: [{ subject: 'Hello', body }] }
    await expect(caller.call('createCampaign', campaign)).rejects.toMatchObject({
      details: [{ path: 'steps.0.body', message: expect.stringContaining('unknown variable icebreaker') }],
    })
    await caller.call('createCustomField', icebreaker)
    const { id: campaignId } = await caller.call('createCampaign', campaign)
    const person = { firstName: 'Ada', custom: { icebreaker: 'well done' } }
    expect(await caller.call('previewCampaign', { campaignId, person })).toMatchObject({
      text: expect.stringContaining('Hi Ada, well done'),
    })
    expect((await caller.call('previewCampaign', { campaignId })).warnings).toEqual(
      expect.arrayContaining([expect.objectContaining({ message: expect.stringContaining('icebreaker') })]),
    )
  })

  it('are filled in, and nothing is sent to people without a value until it is set', async () => {
    await using server = await ScriptedSmtp.open()
    await using worker = openWorker(app)
    const { owner, campaignId, launch, emails } = await makeMailCampaignToLaunch(app, [server], 2)
    await owner.call('createCustomField', icebreaker)
    await owner.call('setCampaignSteps', { campaignId, steps: [{ subject: 'Hello', body }] })
    const [first, second] = await Promise.all(
      emails.map(async email => (await owner.call('listPersons', { email })).data[0]!.id),
    )
    const listEmails = () =>
      server.transfers.map(({ envelope, wire }) => [parseEnvelopeAddress(envelope[1]!), wire.toString()])
    await owner.call('updatePerson', { personId: first!, custom: { icebreaker: 'well done <you>' } })
    expect(await launch()).toMatchObject({
      incomplete: { total: 1, prospects: [{ personId: second!, variables: ['icebreaker'] }] },
    })
    await worker.workAfter(0)
    expect(listEmails().map(([to]) => to)).toEqual([emails[0]])
    await owner.call('updatePerson', { personId: second!, custom: { icebreaker: 'nice' } })
    await worker.workAfter(0)
    expect(listEmails().map(([to]) => to)).toEqual(emails)
    expect(listEmails().map(([, text]) => text)).toEqual([
      expect.stringMatching(/Hi Person0, well done <you>[\s\S]*Hi Person0, well done &lt;you&gt;/),
      expect.stringContaining('Hi Person1, nice'),
    ])
  })

  it('are reported as missing when people are added to a campaign that uses them', async () => {
    const { caller } = await makeAccount(icebreaker)
    const { id: campaignId } = await caller.call('createCampaign', {
      name: 'Spring',
      steps: [{ subject: 'Hello', body }],
    })
    const { warnings } = await caller.call('addProspectsToCampaign', {
      campaignId,
      data: [{ email: 'ben@x.example', firstName: 'Ben' }],
    })
    expect(warnings).toEqual([expect.stringContaining('has no value for icebreaker')])
  })
})
