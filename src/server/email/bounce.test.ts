import { expect, test } from 'vitest'
import { bounceMails, returnedId } from '../../../test/support/bounce-mails.ts'
import { bounceNotices } from '../../../test/support/bounce-notices.ts'
import { classifyEmail } from './classify.ts'
import { defaultLimits } from './parse.ts'
import { readEmail } from './read-email.ts'

const classify = async (raw: Buffer) => classifyEmail(await readEmail(raw, defaultLimits))

test.each(bounceMails)('a report of $name', async ({ to, raw, class: expected }) => {
  const classified = await classify(raw)
  expect(classified).toMatchObject({
    kind: 'bounce',
    recipients: [{ address: to, class: expected }],
    originalMessageIds: [returnedId],
    envelopeTokens: ['k3y'],
  })
  expect(classified.recipients).toHaveLength(1)
})

test.each(bounceNotices)('a notice of $name', async ({ to, raw, class: expected }) => {
  const { kind, recipients } = await classify(raw)
  expect([kind, ...recipients.map(one => `${one.address} ${one.class}`)]).toEqual([
    'bounce',
    `${to} ${expected}`,
  ])
})
