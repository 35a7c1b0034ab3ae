import { describe, expect, it } from 'vitest'
import { findOptOutLinkFaults } from './opt-out-link-faults.ts'

const find = (publicUrl: string | undefined, mailServers: string[]) =>
  findOptOutLinkFaults({ publicUrl, port: 4400 }, mailServers)
const fault = { path: 'PUBLIC_URL', message: expect.stringContaining('Set PUBLIC_URL') }

describe('the opt-out link', () => {
  it.each([undefined, 'http://localhost:4400', 'https://10.0.0.7', 'https://office.local'])(
    'prevents a launch when recipients cannot open %s and a mail server on the internet would send',
    publicUrl => {
      expect(find(publicUrl, ['127.0.0.1', 'smtp.gmail.com'])).toEqual({ faults: [fault], warnings: [] })
    },
  )

  it.each([{ mailServers: [] }, { mailServers: ['127.0.0.1', 'mail.acme.example'] }])(
    'is only warned about while emails stay in the sandbox or a private network: $mailServers',
    ({ mailServers }) => {
      expect(find(undefined, mailServers)).toEqual({ faults: [], warnings: [fault] })
    },
  )

  it('is warned about without https', () => {
    const { faults, warnings } = find('http://outreach.acme.com', ['smtp.gmail.com'])
    expect([faults, warnings]).toEqual([[], [fault]])
    expect(warnings[0]!.message).toContain('not encrypted')
  })

  it('has no fault at an https address on the internet', () => {
    expect(find('https://outreach.acme.com', ['smtp.gmail.com'])).toEqual({ faults: [], warnings: [] })
  })
})
