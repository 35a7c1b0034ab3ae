import { expect, test } from 'vitest'
import { bounceMails, returnedId } from '../../../test/support/bounce-mails.ts'
import { classifyEmail } from './classify.ts'
import { defaultLimits } from './parse.ts'
import { readEmail } from './read-email.ts'

test.each(bounceMails)('a report of $name', async ({ to, raw, class: expected }) => {
  const classified = classifyEmail(await readEmail(raw, defaultLimits))
  expect(classified).toMatchObject({
    kind: 'bounce',
    recipients: [{ address: to, class: expected }],
    originalMessageIds: [returnedId],
    envelopeTokens: ['k3y'],
  })
  expect(classified.recipients).toHaveLength(1)
})
