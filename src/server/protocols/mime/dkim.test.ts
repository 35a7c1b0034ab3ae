import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { describe, expect, it } from 'vitest'
import { hasDkimVerifier, verifyDkim } from '../../../../test/support/mail/dkim-verifier.ts'
import { composeMessage, type OutgoingEmail } from './compose.ts'
import type { SigningKey } from './dkim.ts'
import { toUnsubscribeHeaders } from './unsubscribe.ts'

const { publicKey, privateKey } = generateKeyPairSync('rsa', {
  modulusLength: 2048,
  publicKeyEncoding: { type: 'spki', format: 'der' },
  privateKeyEncoding: { type: 'pkcs8', format: 'pem' },
})
const record = {
  name: 'ovt1._domainkey.acme.example',
  value: `v=DKIM1; k=rsa; p=${publicKey.toString('base64')}`,
}
const signingKey: SigningKey = {
  domain: 'acme.example',
  selector: 'ovt1',
  privateKey: createPrivateKey(privateKey),
}
const email: OutgoingEmail = {
  messageId: '<1@acme.example>',
  from: { address: 'ada@acme.example', name: 'Ada Byron, Gräfin' },
  to: [{ address: 'grace@navy.example' }],
  subject: `Grüße an alle ${'und noch mehr Wörter '.repeat(10)}`,
  text: 'Hallo Grace,\n.\n..\n \n\nlang: '.concat('ä'.repeat(500), '\n\n\n'),
  html: '<p>Hallo Grace</p>',
  references: ['<0@acme.example>'],
  headers: toUnsubscribeHeaders('ada@acme.example', { url: 'https://out.acme.example/u/x', token: 'x' }),
  date: new Date('2026-11-21T09:30:00Z'),
}

describe('a signed email', () => {
  it('equals the unsigned email below the added header, even with large files', async () => {
    const attachments = [{ name: 'a.bin', type: 'application/pdf', content: Buffer.alloc(1_000_000, 'abc') }]
    const unsigned = await composeMessage({ ...email, attachments })
    const signed = await composeMessage({ ...email, attachments, signingKey })
    expect(signed.bytes.subarray(-unsigned.bytes.length).equals(unsigned.bytes)).toBe(true)
    if (hasDkimVerifier()) expect(verifyDkim(signed.bytes, record)).toBe(true)
  })

  it('equals the unsigned email, byte for byte, below the added header', async () => {
    const [unsigned, signed] = await Promise.all([
      composeMessage(email),
      composeMessage({ ...email, signingKey }),
    ])
    const added = signed.bytes.subarray(0, signed.bytes.length - unsigned.bytes.length).toString('latin1')
    expect(signed.bytes.subarray(added.length).equals(unsigned.bytes)).toBe(true)
    expect(added).toMatch(/^DKIM-Signature: v=1; a=rsa-sha256; [^\0]*\r\n$/)
    expect(added.split('\r\n').every(line => line.length <= 78 || !/\S\s+\S/.test(line.slice(0, 78)))).toBe(
      true,
    )
  })

  it('is not sent unsigned when its key is broken', async () => {
    const elliptic = generateKeyPairSync('ed25519').privateKey
    await expect(
      composeMessage({ ...email, signingKey: { ...signingKey, privateKey: elliptic } }),
    ).rejects.toThrow()
  })

  describe.runIf(hasDkimVerifier())('checked by another implementation', () => {
    it('verifies and covers both unsubscribe headers and all displayed fields', async () => {
      const { bytes } = await composeMessage({ ...email, signingKey })
      expect(verifyDkim(bytes, record)).toBe(true)
      const [, signed = ''] = /\bh=([^;]+);/.exec(bytes.toString('latin1').replace(/\r\n\s/g, '')) ?? []
      const headers = signed.split(':')
      for (const header of ['from', 'to', 'subject', 'date', 'message-id', 'references', 'content-type'])
        expect(headers).toContain(header)
      expect(headers).toContain('list-unsubscribe')
      expect(headers).toContain('list-unsubscribe-post')
    })

    it.each([
      ['body', 'Hallo', 'Hello'],
      ['unsubscribe link', '/u/x', '/u/y'],
      ['one-click header', 'One-Click', 'Two-Click'],
      ['recipient', 'grace@', 'bob@'],
    ])('no longer verifies when its %s is changed', async (_what, from, to) => {
      const { bytes } = await composeMessage({ ...email, signingKey })
      const changed = bytes.toString('latin1').replace(from, to)
      expect(changed).not.toBe(bytes.toString('latin1'))
      expect(verifyDkim(Buffer.from(changed, 'latin1'), record)).toBe(false)
    })
  })
})
