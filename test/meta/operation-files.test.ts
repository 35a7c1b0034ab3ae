import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { describe, expect, test } from 'vitest'
import { operations } from '../../src/contract/index.ts'

// Tests that a handler's file is named after the operation's URL, so that it is easy to find.

type NamedOperation = { name: string; path: string }

const source = ['handlers.ts', 'account-handlers.ts', 'people-handlers.ts']
  .map(file => readFileSync(join(import.meta.dirname, '../../src/server', file), 'utf8'))
  .join('')

/** The file that defines each name imported by the handlers' files, relative to src/server. */
const files = new Map(
  [...source.matchAll(/^import \{([^}]*)\} from '\.\/([^']+)'/gm)].flatMap(([, names = '', file = '']) =>
    names.split(',').map((name): [string, string] => [name.trim(), file]),
  ),
)

/** Returns the file of a handler, which is listed as `name`, `name: other` or `name: (ctx, input) => other(…)`. */
function findHandlerFile(name: string): string | undefined {
  const handler = new RegExp(`^  ${name}: (?:\\(ctx, input\\) =>\\s+)?(\\w+)`, 'm').exec(source)?.[1]
  return files.get(handler ?? name)
}

/** Splits a camelCase or kebab-case name into lowercase words, in the singular. */
const splitWords = (text: string): string[] =>
  text
    .replace(/([a-z0-9])([A-Z])/g, '$1-$2')
    .toLowerCase()
    .split(/[^a-z0-9]+/)
    .filter(word => word !== '')
    .map(word => word.replace(/ies$/, 'y').replace(/s$/, ''))

function findErrors({ name, path }: NamedOperation, file: string | undefined): string[] {
  if (!file?.startsWith('domain/')) return [`${name} is handled outside of the domain: ${file}`]
  const parts = file.replace(/\.ts$/, '').split('/').slice(1)
  const segments = path.split('/').filter(segment => segment !== '' && !segment.startsWith('{'))
  const vocabulary = [name, ...segments].flatMap(splitWords)
  const isSegment = (part: string) =>
    segments.some(segment => splitWords(segment).join('-') === splitWords(part).join('-'))
  return [
    ...splitWords(parts.at(-1)!)
      .filter(word => !vocabulary.includes(word))
      .map(word => `${name} (${path}) is in ${file}, but is not about "${word}"`),
    ...(parts.some(isSegment)
      ? []
      : [`${name} (${path}) is in ${file}, but no folder or file is named after a part of the URL`]),
  ]
}

test.each(Object.entries(operations))('the file of %s is named after its URL', (name, { path }) => {
  expect(findErrors({ name, path }, findHandlerFile(name))).toEqual([])
})

describe('the check', () => {
  const completeTask = { name: 'completeTask', path: '/tasks/{taskId}/complete' }
  test.each([
    ['a handler that is not found', completeTask, undefined],
    ['a handler in the engine', completeTask, 'engine/tasks/complete-task.ts'],
    ['a file named with another word', completeTask, 'domain/tasks/end-tasks.ts'],
    ['a file in a folder that the path does not name', completeTask, 'domain/linkedin/complete-task.ts'],
  ])('detects %s', (_what, operation, file) => {
    expect(findErrors(operation, file)).not.toEqual([])
  })
})

test('a file named after the path passes the check', () => {
  expect(
    findErrors({ name: 'completeTask', path: '/tasks/{taskId}/complete' }, 'domain/tasks/complete-task.ts'),
  ).toEqual([])
})
