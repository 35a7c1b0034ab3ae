import { expect, test } from 'vitest'
import { bounceMails, returnedId } from '../../../test/support/bounce-mails.ts'
import { parseAndClassify } from './parse.ts'

test.each(bounceMails)('a report of $name', async ({ to, raw, class: expected }) => {
  const { classified } = await parseAndClassify(raw)
  expect(classified).toMatchObject({
    kind: 'bounce',
    recipients: [{ address: to, class: expected }],
    originalMessageIds: [returnedId],
    envelopeTokens: ['k3y'],
  })
  expect(classified.recipients).toHaveLength(1)
})
