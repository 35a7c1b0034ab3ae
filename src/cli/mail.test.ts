import { mkdir, mkdtemp, rm, truncate, writeFile } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { bounceMails } from '../../test/support/mail/bounce-mails.ts'
import { humanReplies } from '../../test/support/mail/human-replies.ts'
import { runCli } from '../../test/support/processes/command-line.ts'

let dir: string
beforeAll(async () => {
  dir = await mkdtemp(join(tmpdir(), 'overture-mail-'))
})
afterAll(() => rm(dir, { recursive: true }))

async function writeFiles(emails: readonly { raw: Buffer | string }[], kind: string): Promise<string[]> {
  return Promise.all(
    emails.map(async ({ raw }, index) => {
      const path = join(dir, `${kind} ${index}.eml`)
      await writeFile(path, raw)
      return path
    }),
  )
}

const explain = async (paths: string[]) => {
  const { code, stdout, stderr } = await runCli(['mail', 'explain', ...paths], {})
  return {
    code,
    stderr,
    lines: stdout
      .split('\n')
      .slice(0, -1)
      .map(line => JSON.parse(line)),
  }
}

test('mail explain prints the kind, recipients and reason of each email as a line of JSON', async () => {
  const bounces = await writeFiles(bounceMails, 'bounce')
  const replies = await writeFiles(humanReplies.slice(0, 60), 'reply')
  const { code, stderr, lines } = await explain([...bounces, ...replies])
  expect({ code, stderr }).toEqual({ code: 0, stderr: '' })
  expect(lines).toEqual([
    ...bounceMails.map((mail, index) => ({
      file: bounces[index],
      kind: 'bounce',
      recipients: [
        { address: mail.to, class: mail.class, status: expect.stringMatching(/^[45]\.\d+\.\d+$/) },
      ],
      reason: expect.any(String),
      trusted: false,
    })),
    ...replies.map(file => ({ file, kind: 'reply', recipients: [], reason: expect.any(String) })),
  ])
})

test('mail explain reports unreadable files and explains the others', async () => {
  const [away] = await writeFiles(
    [{ raw: 'Subject: Away\r\nAuto-Submitted: auto-replied\r\n\r\nBack soon.' }],
    'away',
  )
  const [empty] = await writeFiles([{ raw: '' }], 'empty')
  const [binary] = await writeFiles([{ raw: Buffer.from([0, 255, 10, 13, 0, 61]) }], 'bytes')
  const [large] = await writeFiles([{ raw: 'Subject: Re: Demo\r\n\r\nYes.\r\n' }], 'large')
  await truncate(large!, 200_000_000)
  const [missing, folder] = [join(dir, 'missing.eml'), join(dir, 'folder')]
  await mkdir(folder)
  const { code, stderr, lines } = await explain([missing, away!, folder, empty!, binary!, large!])
  expect(lines).toMatchObject([
    { file: away, kind: 'auto_reply' },
    { file: empty, kind: expect.any(String) },
    { file: binary, kind: expect.any(String) },
    { file: large, kind: 'reply' },
  ])
  expect(code).toBe(1)
  expect(stderr).toContain(`cannot read ${missing}`)
  expect(stderr).toContain(`cannot read ${folder}`)
  expect(stderr).toContain('2 of 6 files could not be read')
})
