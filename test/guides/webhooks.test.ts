import { spawnSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, it } from 'vitest'
import { eventTypes } from '../../src/contract/webhooks.ts'
import { toSignedHeaders } from '../../src/server/domain/webhooks/sign-webhook.ts'
import { createWebhookSecret } from '../../src/server/domain/webhooks/webhook-secrets.ts'
import { isMissing } from '../support/processes/environment.ts'

const guide = readFileSync(join(import.meta.dirname, '../../docs/webhooks.md'), 'utf8')
const printed = (language: string) => new RegExp(`\`\`\`${language}\\n([^]*?)\`\`\``).exec(guide)![1]!

/** Commands that verify an event with the printed code. */
const programs: Record<'js' | 'python', (given: string) => [program: string, args: string[]]> = {
  js: given => [
    process.execPath,
    [
      '--input-type=module',
      '-e',
      `${printed('js')}\nconst { body, headers, secret } = ${given}
      console.log(JSON.stringify(verify(body, headers, secret)))`,
    ],
  ],
  python: given => [
    'python3',
    [
      '-c',
      `${printed('python')}\ngiven = json.loads(${JSON.stringify(given)})
print(json.dumps(verify(given["body"].encode(), given["headers"], given["secret"])))`,
    ],
  ],
}

it("the webhook guide's table lists all types of events", () => {
  const rows = [...guide.matchAll(/^\| `(\w+)\.\*` \| ([^|]*) \|/gm)]
  const listed = rows.flatMap(([, family, types]) =>
    [...types!.matchAll(/`(\w+)`/g)].map(([, type]) => `${family}.${type}`),
  )
  expect(listed.sort()).toEqual([...eventTypes].sort())
})

describe.for(['js', 'python'] as const)("the webhook guide's %s code", language => {
  const isAbsent = language === 'python' && isMissing('python3')
  const verify = (body: string, headers: object, secret: string) => {
    const [program, args] = programs[language](JSON.stringify({ body, headers, secret }))
    const { status, stdout, stderr } = spawnSync(program, args, { encoding: 'utf8', timeout: 60_000 })
    return status === 0 ? JSON.parse(stdout) : stderr
  }
  const [previousSecret, secret, otherSecret] = [
    createWebhookSecret(),
    createWebhookSecret(),
    createWebhookSecret(),
  ]
  const body = '{"type":"prospect.replied","data":{"name":"Zoë \\u0001"}}'
  const sign = (at: Date) => toSignedHeaders({ id: 'event', at, body }, [previousSecret, secret])
  const headers = sign(new Date())

  it.skipIf(isAbsent)('accepts an event signed with either valid secret', () => {
    expect(verify(body, headers, previousSecret)).toEqual(JSON.parse(body))
    expect(verify(body, headers, secret)).toEqual(JSON.parse(body))
  })

  it.skipIf(isAbsent)(
    'rejects an event that was changed, is too old, or was signed with another secret',
    () => {
      expect(verify(body, headers, otherSecret)).toContain('signature is wrong')
      expect(verify(`${body} `, headers, secret)).toContain('signature is wrong')
      expect(verify(body, { ...headers, 'webhook-id': 'other' }, secret)).toContain('signature is wrong')
      expect(verify(body, { ...headers, 'webhook-signature': 'v1,' }, secret)).toContain('signature is wrong')
      expect(verify(body, sign(new Date(Date.now() - 600_000)), secret)).toContain('too old')
    },
  )
})
