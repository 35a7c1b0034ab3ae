import { describe, expect, it } from 'vitest'
import { privateHosts } from '../../../../test/support/http/private-hosts.ts'
import { fetchClientDocument, isDocumentId } from './client-document.ts'
import { openClients } from './clients.ts'
import { fetchJson } from './fetch-json.ts'

describe('an id is no address of a document', () => {
  it(`when its host is an address, however it is spelt (${privateHosts.length} of them)`, () => {
    expect(new Set(privateHosts).size).toBeGreaterThanOrEqual(150)
    expect(privateHosts.filter(host => isDocumentId(`https://${host}/client.json`))).toEqual([])
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

it('no spelling of a private address is asked, were it let through', async () => {
  const reached = []
  for (const host of privateHosts) {
    const url = URL.parse(`https://${host}:1/client.json`)
    if (!url) continue
    const failure = await fetchJson(url, []).catch(error => error)
    if (!/private or reserved|must be a host name/.test(String(failure))) reached.push(`${host}: ${failure}`)
  }
  expect(reached).toEqual([])
})

it('the common applications are known without asking anybody', async () => {
  const noDatabase = new Proxy({}, { get: () => expect.unreachable() })
  const { find } = openClients({
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
