import { describe, expect, it } from 'vitest'
import { fetchClientDocument, isDocumentId } from './client-document.ts'
import { openClients } from './clients.ts'

/** Spellings of addresses that are not public, as hosts; what no name server is needed for. */
const privateHosts = [
  ...['127.0.0.1', '127.1', '127.255.255.254', '0.0.0.0', '0', '10.0.0.1', '10.255.255.255', '172.16.0.1'],
  ...[
    '172.31.255.255',
    '192.168.0.1',
    '169.254.169.254',
    '100.64.0.1',
    '192.0.0.1',
    '192.0.2.1',
    '198.18.0.1',
  ],
  ...['198.51.100.1', '203.0.113.1', '224.0.0.1', '240.0.0.1', '255.255.255.255', '168.63.129.16'],
  ...['2130706433', '0x7f000001', '0x7f.0.0.1', '0x7f.1', '0177.0.0.1', '0177.1', '017700000001', '127.0.1'],
  ...[
    '0x7f.0x0.0x0.0x1',
    '0xa9fea9fe',
    '2852039166',
    '0251.0376.0251.0376',
    '0xA9.254.169.254',
    '169.254.43518',
  ],
  ...['[::1]', '[::]', '[::ffff:127.0.0.1]', '[::ffff:7f00:1]', '[::127.0.0.1]', '[64:ff9b::7f00:1]'],
  ...[
    '[fe80::1]',
    '[fc00::1]',
    '[fd12:3456::1]',
    '[ff02::1]',
    '[2002:7f00:1::]',
    '[2001::1]',
    '[2001:db8::1]',
  ],
  ...['[0:0:0:0:0:ffff:a9fe:a9fe]', '[0:0:0:0:0:0:0:1]', '[100::1]', '[3fff::1]', '[4000::1]'],
  ...['①②⑦.⓪.⓪.①', '１２７.０.０.１', '127。0。0。1', '127.0.0.1.', '2130706433.', '[::1%25lo]'],
]
const paths = ['/client.json', '/oauth/client?id=1', ':443/client.json']

describe('an id is no address of a document', () => {
  const spellings = privateHosts.flatMap(host => paths.map(path => `https://${host}${path}`))

  it(`when its host is an address, however it is spelt (${privateHosts.length * paths.length} of them)`, () => {
    expect(spellings.length).toBeGreaterThanOrEqual(150)
    expect(spellings.filter(isDocumentId)).toEqual([])
  })

  it.each([
    'http://client.example/client.json',
    'https://client.example',
    'https://client.example/',
    'https://client.example/client.json#part',
    'https://client.example/client.json#',
    'https://user@client.example/client.json',
    'https://user:word@client.example/client.json',
    'https://client.example/../client.json',
    'https://client.example/a/../client.json',
    'https://client.example/./client.json',
    'https://client.example:443/client.json',
    'https://CLIENT.example/client.json',
    'HTTPS://client.example/client.json',
    'https:/client.example/client.json',
    'https:client.example/client.json',
    'https://client.example\\@evil.example/client.json',
    ' https://client.example/client.json',
    'https://client.example/client.json\n',
    'https://client.example/cli ent.json',
    `https://client.example/${'a'.repeat(500)}`,
    'file:///etc/passwd',
    'client.example/client.json',
    '',
  ])('when it is %j', id => {
    expect(isDocumentId(id)).toBe(false)
  })
})

it('an ordinary address of a document is one', () => {
  for (const id of ['https://client.example/client.json', 'https://client.example:8443/a?b=c']) {
    expect(isDocumentId(id)).toBe(true)
  }
})

it('a name that leads to a private address is not asked', async () => {
  await expect(fetchClientDocument('https://localhost/client.json', [])).rejects.toThrow(
    /private or reserved/,
  )
})

it('the common applications are known without asking anybody', async () => {
  const noDatabase = new Proxy({}, { get: () => expect.unreachable() })
  const find = openClients({
    db: noDatabase,
    config: { privateHosts: [] },
    now: () => new Date(),
    log: {},
  } as never)
  expect(await find('https://claude.ai/oauth/mcp-oauth-client-metadata')).toMatchObject({
    client_name: 'Claude',
  })
  expect(await find('https://claude.ai/oauth/claude-code-client-metadata')).toMatchObject({
    client_name: 'Claude Code',
    application_type: 'native',
  })
})
