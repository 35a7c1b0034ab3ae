import { describe, expect, it } from 'vitest'
import { findOptOutLinkErrors } from './opt-out-link-errors.ts'

const find = (publicUrl: string | undefined, mailServers: string[]) =>
  findOptOutLinkErrors({ publicUrl, port: 4400 }, mailServers)
const error = { path: 'PUBLIC_URL', message: expect.stringContaining('Set PUBLIC_URL') }

describe('the opt-out link', () => {
  it.each([undefined, 'http://localhost:4400', 'https://10.0.0.7', 'https://office.local'])(
    'prevents a launch when PUBLIC_URL is %s and a mail server on the internet would send the link',
    publicUrl => {
      expect(find(publicUrl, ['127.0.0.1', 'smtp.gmail.com'])).toEqual({ errors: [error], warnings: [] })
    },
  )

  it.each([{ mailServers: [] }, { mailServers: ['127.0.0.1', 'mail.acme.example'] }])(
    'causes only a warning while emails stay in the sandbox or a private network: $mailServers',
    ({ mailServers }) => {
      expect(find(undefined, mailServers)).toEqual({ errors: [], warnings: [error] })
    },
  )

  it('causes a warning without https', () => {
    const { errors, warnings } = find('http://outreach.acme.com', ['smtp.gmail.com'])
    expect([errors, warnings]).toEqual([[], [error]])
    expect(warnings[0]!.message).toContain('not encrypted')
  })

  it('causes neither an error nor a warning at an https address on the internet', () => {
    expect(find('https://outreach.acme.com', ['smtp.gmail.com'])).toEqual({ errors: [], warnings: [] })
  })
})
