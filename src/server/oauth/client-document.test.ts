import { describe, expect, it } from 'vitest'
import { privateHosts } from '../../../test/support/private-hosts.ts'
import { fetchClientDocument, isDocumentId } from './client-document.ts'
import { openClients } from './clients.ts'

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
