import { describe, expect, it } from 'vitest'
import { privateHosts } from '../../../../test/support/http/private-hosts.ts'
import { fetchClientMetadata, isClientIdUrl } from './client-metadata-document.ts'
import { openClients } from './clients.ts'
import { fetchJson } from './fetch-json.ts'

describe('client ID URL', () => {
  it('is rejected when its host is an IP address in any spelling', () => {
    expect(new Set(privateHosts).size).toBeGreaterThanOrEqual(150)
    expect(privateHosts.filter(host => isClientIdUrl(`https://${host}/client.json`))).toEqual([])
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
  ])('is rejected: %j', id => {
    expect(isClientIdUrl(id)).toBe(false)
  })
})

it('accepts an https URL with a path as a client ID', () => {
  for (const id of ['https://client.example/client.json', 'https://client.example:8443/a?b=c']) {
    expect(isClientIdUrl(id)).toBe(true)
  }
})

it('refuses to fetch from a host name that resolves to a private address', async () => {
  await expect(fetchClientMetadata('https://localhost/client.json', [])).rejects.toThrow(
    /private or reserved/,
  )
})

it('refuses to fetch from a private IP address in any spelling', async () => {
  const reached = []
  for (const host of privateHosts) {
    const url = URL.parse(`https://${host}:1/client.json`)
    if (!url) continue
    const failure = await fetchJson(url, []).catch(error => error)
    if (!/private or reserved|must be a host name/.test(String(failure))) reached.push(`${host}: ${failure}`)
  }
  expect(reached).toEqual([])
})

it('recognizes common applications without a fetch or a database query', async () => {
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
