import { describe, expect, it } from 'vitest'
import { maySend, type SendFacts } from './may-send.ts'

const ready: SendFacts = {
  campaignStatus: 'active',
  prospectStatus: 'pending',
  optOut: undefined,
  email: 'ada@analytical.example',
  mailboxId: 'mailbox',
}

describe('may send', () => {
  it('sends when nothing speaks against it', () => {
    expect(maySend(ready)).toEqual({ kind: 'send' })
    expect(maySend({ ...ready, prospectStatus: 'active' })).toEqual({ kind: 'send' })
  })

  it('never contacts who is on Do Not Contact, whatever else holds', () => {
    for (const facts of [{}, { campaignStatus: 'paused' }, { prospectStatus: 'paused' }, { email: null }]) {
      expect(maySend({ ...ready, ...facts, optOut: 'ada@analytical.example' })).toEqual({
        kind: 'stop',
        status: 'paused',
        reason: 'do_not_contact',
      })
    }
  })

  it.each([
    ['a campaign that is not active', { campaignStatus: 'paused' }, 'campaign_paused'],
    ['a prospect that was paused', { prospectStatus: 'paused' }, 'prospect_paused'],
    ['a rep without a working mailbox', { mailboxId: undefined }, 'no_working_mailbox'],
  ])('waits for %s', (_what, facts, reason) => {
    expect(maySend({ ...ready, ...facts })).toEqual({ kind: 'later', reason })
  })

  it('fails a person without an address', () => {
    expect(maySend({ ...ready, email: null })).toEqual({ kind: 'stop', status: 'failed', reason: 'no_email' })
  })
})
