import { afterAll, afterEach, beforeAll, describe, expect, it } from 'vitest'
import { openHttpsServer } from '../../../../test/support/http/https-server.ts'
import { mockLookups } from '../../../../test/support/http/mock-lookups.ts'
import { privateHosts } from '../../../../test/support/http/private-hosts.ts'
import { WebhookReceiver } from '../../../../test/support/http/webhook-receiver.ts'
import { parseOutboundUrl } from '../../kernel/net/outbound-url.ts'
import { postWebhook } from './post-webhook.ts'

let receiver: WebhookReceiver
beforeAll(async () => {
  receiver = await WebhookReceiver.open('0.0.0.0')
})
afterEach(() => {
  receiver.posted.length = 0
})
afterAll(() => receiver[Symbol.asyncDispose]())

const message = { headers: { 'webhook-id': 'one' }, body: '{}' }

describe('a private address', () => {
  const urls = privateHosts.flatMap(host =>
    ['http', 'https'].flatMap(scheme => ['/', ':443/a?b=c'].map(path => `${scheme}://${host}${path}`)),
  )

  it(`is never contacted in any of ${urls.length} spellings`, async () => {
    expect(urls.length).toBeGreaterThanOrEqual(150)
    for (const url of urls) {
      expect(() => parseOutboundUrl('url', url, []), url).toThrow(/^url: /)
      const posted = await postWebhook(url, message, [])
      expect(posted, url).toEqual({
        error: expect.stringMatching(/private or reserved|must be a host name|ERR_INVALID_URL/),
      })
    }
  })

  it('is never contacted when a host name resolves to it', async () => {
    mockLookups(['127.0.0.1', '::1', '169.254.169.254'])
    expect(await postWebhook(`http://inside.example:${receiver.port}/`, message, [])).toEqual({
      error: expect.stringMatching(/private or reserved/),
    })
    expect(receiver.posted).toHaveLength(0)
  })

  it('is never contacted when a host name would resolve to it the second time, because names are resolved once', async () => {
    const lookup = mockLookups(['127.0.0.2'], ['127.0.0.1'], ['127.0.0.1'])
    await using allowed = await WebhookReceiver.open('127.0.0.2')
    await using inside = await WebhookReceiver.open('127.0.0.1', allowed.port)
    // Represents a public address.
    expect(await postWebhook(`http://rebind.example:${allowed.port}/`, message, ['127.0.0.2'])).toMatchObject(
      { status: 200 },
    )
    expect(lookup).toHaveBeenCalledOnce()
    expect([allowed.posted.length, inside.posted.length]).toEqual([1, 0])
    expect(allowed.posted[0]!.headers.host).toBe(`rebind.example:${allowed.port}`)
  })
})

describe('a webhook URL', () => {
  it.each([
    'ftp://crm.example/',
    'crm.example',
    'http://crm.example/',
    'https://user@crm.example/',
    'https://user:word@crm.example/',
    'https://crm.example/#part',
    'https://crm.example:99999/',
    'https://a b.example/',
    'https://*.example/',
    'javascript:alert(1)',
    'file:///etc/passwd',
  ])('must not be %s', url => {
    expect(() => parseOutboundUrl('url', url, [])).toThrow(/^url: /)
  })

  it('requires https, or a host that the operator allowed', () => {
    expect(parseOutboundUrl('url', 'https://CRM.example/hook?key=1', [])).toBe(
      'https://crm.example/hook?key=1',
    )
    expect(parseOutboundUrl('url', 'https://8.8.8.8:8443/', [])).toBe('https://8.8.8.8:8443/')
    expect(parseOutboundUrl('url', 'http://n8n.internal:5678/hook', ['N8N.internal'])).toBe(
      'http://n8n.internal:5678/hook',
    )
    expect(parseOutboundUrl('url', 'http://10.0.0.5/', ['10.0.0.5'])).toBe('http://10.0.0.5/')
    expect(parseOutboundUrl('url', 'https://[fd00::1]/', ['fd00::1'])).toBe('https://[fd00::1]/')
  })
})

it('postWebhook reports a connection failure without disclosing the address', async () => {
  await using closed = await WebhookReceiver.open()
  const { port } = closed
  await closed[Symbol.asyncDispose]()
  expect(await postWebhook(`http://127.0.0.1:${port}/`, message, ['127.0.0.1'])).toEqual({
    error: 'ECONNREFUSED',
  })
})

describe('postWebhook over https', () => {
  it('connects to the resolved address and verifies the host name', async () => {
    await using server = await openHttpsServer()
    server.answer = (_request, response) => response.end('thank you')
    expect(await postWebhook(`${server.origin}/events`, message, ['localhost'])).toMatchObject({
      status: 200,
      head: 'thank you',
    })
  })

  it('posts nothing to a server whose certificate is for a different host name', async () => {
    await using server = await openHttpsServer()
    mockLookups(['127.0.0.1'])
    const url = server.origin.replace('localhost', 'crm.example')
    expect(await postWebhook(`${url}/events`, message, ['crm.example'])).toEqual({
      error: 'ERR_TLS_CERT_ALTNAME_INVALID',
    })
    expect(server.requests).toEqual([])
  })
})
