import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, normalize } from 'node:path/posix'
import { describe, expect, test } from 'vitest'

// Checks the rules of ARCHITECTURE.md that can be checked automatically. Each check is a function from source files to
// errors. It must find no errors in the repository, and must find errors in each of its bad examples.

type Source = { path: string; text: string }
type Check = (sources: Source[]) => string[]

const root = join(import.meta.dirname, '../..')

const readSources = (folder: string): Source[] =>
  readdirSync(join(root, folder), { recursive: true, withFileTypes: true })
    .filter(entry => entry.isFile())
    .map(entry => join(entry.parentPath, entry.name))
    .map(file => ({ path: file.slice(root.length + 1), text: readFileSync(file, 'utf8') }))

const isTest = ({ path }: Source): boolean => path.startsWith('test/') || path.includes('.test.')
const isCode = ({ path }: Source): boolean => /\.tsx?$/.test(path)
const isProduct = (source: Source): boolean =>
  source.path.startsWith('src/') && isCode(source) && !isTest(source)

/** Removes lines that are comments; keeps comments at the end of a line. */
const removeComments = (text: string): string => text.replace(/^\s*(\/\/|\/\*|\*|--).*$/gm, '')

// --- imports ---------------------------------------------------------------------------------------------------

/** Layers of the folders of src/server. */
const folderLayers: Record<string, string> = {
  kernel: 'kernel',
  postgres: 'postgres',
  protocols: 'protocol',
  domain: 'domain',
  engine: 'engine',
  adapters: 'adapter',
}
const fileLayers: Record<string, string> = {
  'src/client.ts': 'client',
  'src/server/handlers.ts': 'handlers',
  'src/server/account-handlers.ts': 'handlers',
  'src/server/people-handlers.ts': 'handlers',
  'src/server/assistant-approval.ts': 'handlers',
  'src/server/invoke.ts': 'invoke',
  'src/server/idempotency.ts': 'invoke',
  'src/server/installation.ts': 'start',
  'src/server/main.ts': 'start',
}

/** Returns the folder whose files may import each other: an area of the server or a page of the web. */
const getHomeFolder = (path: string): string =>
  dirname(path)
    .split('/')
    .slice(0, /^src\/(web\/pages|server\/(adapters|domain|protocols))\//.test(path) ? 4 : 3)
    .join('/')

function getLayer(path: string): string {
  const [, area = '', folder = '', file] = path.split('/')
  if (fileLayers[path]) return fileLayers[path]
  if (area === 'server') return file === undefined ? 'root' : (folderLayers[folder] ?? 'unknown')
  if (area === 'web') return ['ui', 'pages', 'components'].includes(folder) ? `web/${folder}` : 'web'
  return area
}

/** Layers, folders and files that a layer may import, in addition to a file's own folder. */
const allowedImports: Record<string, string[]> = {
  contract: ['contract'],
  client: ['contract'],
  kernel: ['kernel', 'contract'],
  postgres: ['kernel'],
  protocol: ['kernel', 'contract', 'protocol'],
  domain: ['kernel', 'contract', 'protocol', 'domain'],
  engine: ['kernel', 'contract', 'protocol', 'domain', 'engine'],
  handlers: ['kernel', 'contract', 'domain', 'engine'],
  invoke: ['kernel', 'contract', 'handlers'],
  adapter: [
    'kernel',
    'contract',
    'invoke',
    'src/server/protocols/identity',
    'src/server/protocols/html',
    'src/server/domain/accounts',
    'src/server/domain/auth',
    'src/server/domain/people',
    'src/server/domain/dnc',
  ],
  start: [
    'kernel',
    'contract',
    'postgres',
    'protocol',
    'domain',
    'engine',
    'handlers',
    'invoke',
    'adapter',
    'start',
  ],
  cli: [
    'kernel',
    'contract',
    'invoke',
    'protocol',
    'domain',
    'start',
    'client',
    'demo',
    'src/server/adapters/oauth',
    'src/server/domain/rendering/find-missing.ts',
  ],
  demo: ['kernel', 'contract', 'protocol', 'domain', 'engine', 'start', 'demo'],
  web: ['web', 'web/pages', 'web/components', 'web/ui', 'client', 'contract'],
  'web/pages': ['web/components', 'web/ui', 'src/web/api.ts', 'contract'],
  // Components that pages of several areas use.
  'web/components': ['web/ui', 'src/web/api.ts', 'contract'],
  'web/ui': [],
}

const importPatterns = [
  /^\s*import\s+(type\s+)?[\w$*{}\s,]+?\s+from\s*['"]([^'"]+)['"]/gm,
  /^\s*export\s+(type\s+)?(?:\*(?:\s+as\s+\w+)?|\{[^}]*\})\s*from\s*['"]([^'"]+)['"]/gm,
  /^\s*import\s*()['"]([^'"]+)['"]/gm,
  /\bimport\(\s*()['"]([^'"]+)['"]/g,
  /\bimport\(\s*()()[^'"\s]/g,
]

/** An import; `to` is a path from the root for our own files, a name for packages, '' for a computed path. */
type Import = { to: string; isTypeOnly: boolean }

const findImports = ({ path, text }: Source): Import[] => {
  const code = removeComments(text)
  return importPatterns
    .flatMap(pattern => [...code.matchAll(pattern)])
    .map(([, type, specifier = '']) => ({
      to: specifier.startsWith('.') ? normalize(join(dirname(path), specifier)) : specifier,
      isTypeOnly: Boolean(type),
    }))
}

function isAllowed(from: string, to: string): boolean {
  const layer = getLayer(from)
  if (!to.startsWith('src/')) return to !== '' && (layer !== 'contract' || to === 'zod')
  if (getHomeFolder(from) === getHomeFolder(to) && layer === getLayer(to)) return true
  return (allowedImports[layer] ?? []).some(allowed =>
    [getLayer(to), getHomeFolder(to), to].includes(allowed),
  )
}

const forbiddenImports: Check = sources =>
  sources.filter(isProduct).flatMap(source =>
    findImports(source)
      .filter(({ to }) => !isAllowed(source.path, to))
      .map(({ to }) => `${source.path} may not import ${to || 'a computed path'}`),
  )

/** Ignores type imports: two files may refer to each other's types. */
const importCycles: Check = sources =>
  findCycles(
    sources
      .filter(isProduct)
      .flatMap(source =>
        findImports(source).flatMap(({ to, isTypeOnly }): [string, string][] =>
          isTypeOnly ? [] : [[source.path, to]],
        ),
      ),
  )

function findCycles(edges: [from: string, to: string][]): string[] {
  const graph = new Map<string, Set<string>>()
  for (const [from, to] of edges) graph.set(from, (graph.get(from) ?? new Set()).add(to))
  const finished = new Set<string>()
  const cycles: string[] = []
  const visit = (node: string, trail: string[]): void => {
    if (trail.includes(node)) cycles.push([...trail.slice(trail.indexOf(node)), node].join(' → '))
    if (finished.has(node) || trail.includes(node)) return
    for (const to of graph.get(node) ?? []) visit(to, [...trail, node])
    finished.add(node)
  }
  for (const node of graph.keys()) visit(node, [])
  return cycles
}

/** Areas of the domain, the lowest first: each imports only those before it. */
const domainAreas = [
  'accounts',
  'auth',
  'people/custom-fields',
  'people/companies',
  'people/addresses',
  'people/opt-outs',
  'people/persons',
  'people/notes',
  'people/consents',
  'reps',
  'domains',
  'mailboxes',
  'campaigns',
  'prospects',
  'messages',
  'outbox',
  'rendering',
  'dnc',
  'reply-agent',
  'inbox',
  'snippets',
  'saved-views',
  'assistants',
  'calls',
  'tasks',
  'linkedin',
  'meetings',
  'tags',
  'reports',
  'notifications',
  'webhooks',
  'preview',
  'forecast',
  'privacy',
]

const getDomainArea = (path: string): string | undefined =>
  /^src\/server\/domain\/(people\/[^/]+|[^/]+)\//.exec(path)?.[1]

const upwardImports: Check = sources =>
  sources.filter(isProduct).flatMap(source => {
    const area = getDomainArea(source.path)
    if (!area) return []
    const rank = domainAreas.indexOf(area)
    if (rank === -1)
      return [`${source.path}: add the area ${area} to domainAreas, after all areas that it imports`]
    return findImports(source)
      .filter(({ to, isTypeOnly }) => !isTypeOnly && domainAreas.indexOf(getDomainArea(to) ?? '') > rank)
      .map(({ to }) => `${source.path} imports a higher area: ${to}`)
  })

/** Returns the area, subfolder or layer of a file of the server. */
function getFolder(path: string): string {
  const area = getDomainArea(path)
  if (area) return `domain/${area}`
  const [, , layer, folder, file] = path.split('/')
  return file === undefined ? getLayer(path) : `${layer}/${folder}`
}

const folderCycles: Check = sources => {
  const files = sources.filter(source => isProduct(source) && source.path.startsWith('src/server/'))
  return [getFolder, getLayer].flatMap(getNode =>
    findCycles(
      files.flatMap(source =>
        findImports(source)
          .filter(({ to, isTypeOnly }) => !isTypeOnly && to.startsWith('src/server/'))
          .map(({ to }): [string, string] => [getNode(source.path), getNode(to)])
          .filter(([from, to]) => from !== to),
      ),
    ),
  )
}

/** Finds packages that the server would lack without development dependencies, as in the Docker image. */
const undeclaredPackages: Check = sources => {
  const manifest = sources.find(({ path }) => path === 'package.json')
  const { dependencies } = JSON.parse(manifest?.text ?? '{}') as { dependencies?: Record<string, string> }
  return sources
    .filter(source => isProduct(source) && !source.path.startsWith('src/web/'))
    .flatMap(source =>
      findImports(source)
        .filter(({ to, isTypeOnly }) => /^(@|\w)/.test(to) && !/^(src\/|node:)/.test(to) && !isTypeOnly)
        .map(({ to }) => to.split('/', to.startsWith('@') ? 2 : 1).join('/'))
        .filter(name => !dependencies?.[name])
        .map(name => `${source.path} imports ${name}: add it to the dependencies in package.json`),
    )
}

// --- tables: join any, write only your own ---------------------------------------------------------------------

const writePatterns = [
  /\b(?:insert\s+into|merge\s+into|delete\s+from)\s+(?:only\s+)?("?[a-z_][a-z0-9_]*|\$\{)/g,
  /\bupdate\s+(?:only\s+)?("?[a-z_][a-z0-9_]*|\$\{[^}]*\})"?(?:\s+(?:as\s+)?\w+)?\s+set\b/g,
  /\bcopy\s+("?[a-z_][a-z0-9_]*|\$\{[^}]*\})"?\s*(?:\([^)]*\)\s*)?from\b/g,
  /\btruncate\s+table\s+("?[a-z_][a-z0-9_]*|\$\{)/g,
]
const createPattern = /\bcreate\s+(temp\s+)?table\s+(?:if\s+not\s+exists\s+)?("?[a-z_][a-z0-9_]*)/g

const names = (text: string, pattern: RegExp, group: number): string[] =>
  [...removeComments(text).matchAll(pattern)].map(match => (match[group] ?? '').replaceAll('"', ''))

/** The migration runner creates its own table before any migration has run. */
const migrationRunnerFiles = ['src/server/kernel/db/migrate.ts']

/**
 * Reports whether a file may write all tables. The demo writes events in the past, which no operation can do. Erasing
 * a person changes every table with personal data, so that code is kept in one folder.
 */
const writesAllTables = ({ path }: Source): boolean =>
  path.startsWith('src/demo/') || path.startsWith('src/server/domain/privacy/')

const tableOwnership: Check = sources => {
  const created = new Set(
    sources
      .filter(({ path }) => path.startsWith('db/migrations/') || migrationRunnerFiles.includes(path))
      .flatMap(({ text }) => names(text, createPattern, 2)),
  )
  const writers = new Map<string, Set<string>>()
  const errors: string[] = []
  for (const source of sources.filter(source => isProduct(source) && !writesAllTables(source))) {
    const temporary = names(source.text, /\bcreate\s+temp\s+table\s+(?:if\s+not\s+exists\s+)?([a-z_]+)/g, 1)
    for (const table of writePatterns.flatMap(pattern => names(source.text, pattern, 1))) {
      if (temporary.includes(table)) continue
      if (table.startsWith('${')) errors.push(`${source.path} writes a table whose name is computed`)
      else if (!created.has(table)) errors.push(`${source.path} writes ${table}, which no migration creates`)
      else writers.set(table, (writers.get(table) ?? new Set()).add(dirname(source.path)))
    }
  }
  for (const [table, folders] of writers) {
    if (folders.size > 1) errors.push(`${table} is written by ${[...folders].sort().join(' and ')}`)
  }
  return errors
}

const tablesOutsideMigrations: Check = sources =>
  sources
    .filter(source => isProduct(source) && !migrationRunnerFiles.includes(source.path))
    .flatMap(({ path, text }) =>
      [...removeComments(text).matchAll(createPattern)]
        .filter(([, temporary]) => !temporary)
        .map(([, , table]) => `${path} creates the table ${table}: only migrations create tables`),
    )

// --- names, sizes, exports -------------------------------------------------------------------------------------

const namePattern = /^[a-z0-9]+(-[a-z0-9]+)*(\.[a-z0-9]+)+$|^[a-z0-9]+(-[a-z0-9]+)*$/
const vagueNames = /^(utils?|helpers?|common|shared|misc|services?|managers?|types?)$/

const badNames: Check = sources =>
  sources.flatMap(({ path }) => {
    const parts = path.split('/').slice(1)
    if (path.startsWith('db/migrations/')) {
      return /^\d{4}_[a-z0-9_]+\.sql$/.test(parts.at(-1) ?? '')
        ? []
        : [`${path}: must be named like 0001_change.sql`]
    }
    return parts.flatMap(part => {
      if (!namePattern.test(part)) return [`${path}: the name must be in kebab-case`]
      return vagueNames.test(part.split('.')[0] ?? '') ? [`${path}: ${part} is too vague`] : []
    })
  })

const oversizedFiles: Check = sources =>
  sources
    .filter(source => isProduct(source) && !source.path.startsWith('src/contract/'))
    .map(({ path, text }) => ({ path, lines: text.split('\n').length - 1 }))
    .filter(({ lines }) => lines > 300)
    .map(({ path, lines }) => `${path} has ${lines} lines: split it by topic`)

/** Ignores the configuration of Vitest, which must be a default export. */
const defaultExports: Check = sources =>
  sources
    .filter(({ path }) => !path.endsWith('/vitest.config.ts'))
    .filter(source => isCode(source) && /^\s*export\s+(default\b|\{[^}]*\bas\s+default\b)/m.test(source.text))
    .map(({ path }) => `${path} has a default export`)

const barrels: Check = sources =>
  sources
    .filter(({ path }) => path !== 'src/contract/index.ts')
    .filter(
      source =>
        isCode(source) && (/\/index\.tsx?$/.test(source.path) || /^\s*export\s+\*/m.test(source.text)),
    )
    .map(({ path }) => `${path} is a barrel: import from the defining file`)

/**
 * Only config.ts reads settings; test support, the mutation tests and the benchmark read their own variables.
 * samples.ts contains code samples that read the environment.
 */
const environmentReaderFiles =
  /^(src\/server\/kernel\/config\.ts|src\/web\/pages\/docs\/samples\.ts|test\/(support|mutation)\/.*|bench\/.*)$/

const environmentReaders: Check = sources =>
  sources
    .filter(source => isCode(source) && !environmentReaderFiles.test(source.path))
    .filter(({ text }) =>
      /\bprocess\s*(\.|\?\.|\[['"])\s*env\b|\benv\b[^}\n]*}\s*(=\s*process\b|from\s*['"](node:)?process['"])/.test(
        removeComments(text),
      ),
    )
    .map(({ path }) => `${path} reads the environment: settings come from config.ts`)

// --- the rules, with bad examples ------------------------------------------------------------------------------

const repository = [
  ...['src', 'test', 'bench', 'db/migrations'].flatMap(readSources),
  { path: 'package.json', text: readFileSync(join(root, 'package.json'), 'utf8') },
]
const thisFile = 'test/meta/architecture.test.ts'

type Example = [path: string, text: string]
const rules: [rule: string, check: Check, bad: Example[][]][] = [
  [
    'files import only what their layer may',
    forbiddenImports,
    [
      [['src/contract/a.ts', "import { b } from 'node:fs'"]],
      [['src/contract/a.ts', "import { b } from '../server/errors.ts'"]],
      [['src/client.ts', "import { b } from './server/errors.ts'"]],
      [['src/server/kernel/page.ts', "import { b } from '../domain/reps/reps.ts'"]],
      [['src/server/protocols/mime/a.ts', "import {\n  b,\n} from '../../domain/reps/reps.ts'"]],
      [['src/server/protocols/voice/a.ts', "import type { B } from '../../engine/b.ts'"]],
      [['src/server/domain/reps/reps.ts', "export { b } from '../../engine/loop.ts'"]],
      [['src/server/domain/reps/reps.ts', "import '../../adapters/http/server.ts'"]],
      [['src/server/domain/reps/reps.ts', "const b = await import('../../invoke.ts')"]],
      [['src/server/domain/reps/reps.ts', 'const b = await import(name)']],
      [['src/server/engine/a.ts', "import { b } from '../handlers.ts'"]],
      [['src/server/adapters/http/a.ts', "import { b } from '../../domain/reps/reps.ts'"]],
      [['src/server/adapters/mcp/a.ts', "import { b } from '../http/b.ts'"]],
      [['src/server/adapters/http/a.ts', "import { b } from '../../main.ts'"]],
      [['src/web/ui/a.tsx', "import { b } from '../api.ts'"]],
      [['src/web/pages/reps/a.tsx', "import { b } from '../inbox/b.tsx'"]],
      [['src/web/pages/reps/a.tsx', "import { b } from '../../../server/errors.ts'"]],
    ],
  ],
  [
    'there are no circular imports',
    importCycles,
    [
      [['src/server/a.ts', "import { a } from './a.ts'"]],
      [
        ['src/server/reps/a.ts', "import { b } from '../tags/b.ts'"],
        ['src/server/tags/b.ts', "import { c } from './c.ts'"],
        ['src/server/tags/c.ts', "import { a } from '../reps/a.ts'"],
      ],
    ],
  ],
  [
    'areas of the domain import only lower areas',
    upwardImports,
    [
      [['src/server/domain/campaigns/a.ts', "import { b } from '../prospects/b.ts'"]],
      [['src/server/domain/people/persons/a.ts', "import { b } from '../consents/b.ts'"]],
      [['src/server/domain/reps/a.ts', "export { b } from '../tasks/b.ts'"]],
      [['src/server/domain/unranked/a.ts', '']],
    ],
  ],
  [
    'there are no circular imports between folders of the server',
    folderCycles,
    [
      [
        ['src/server/engine/plan/a.ts', "import { b } from '../send/b.ts'"],
        ['src/server/engine/send/c.ts', "import { d } from '../plan/d.ts'"],
      ],
      [
        ['src/server/engine/loop.ts', "import { b } from './send/b.ts'"],
        ['src/server/engine/send/c.ts', "import { d } from '../dispatch.ts'"],
      ],
      [
        ['src/server/kernel/config.ts', "import { b } from './net/b.ts'"],
        ['src/server/kernel/net/c.ts', "import { d } from '../errors.ts'"],
      ],
      [
        ['src/server/protocols/mime/a.ts', "import { b } from '../smtp/b.ts'"],
        ['src/server/protocols/smtp/c.ts', "import { d } from '../csv/d.ts'"],
        ['src/server/protocols/csv/e.ts', "import { f } from '../mime/f.ts'"],
      ],
    ],
  ],
  [
    'packages that the server loads are dependencies',
    undeclaredPackages,
    [
      [
        ['package.json', '{ "dependencies": { "zod": "4" }, "devDependencies": { "vitest": "5" } }'],
        ['src/server/a.ts', "import { inject } from 'vitest'"],
      ],
      [['src/server/a.ts', "import { b } from '@scope/name/b'"]],
    ],
  ],
  [
    'each table is written by one folder and created by a migration',
    tableOwnership,
    [
      ...[
        'insert into tags (id)',
        'update tags set id = 1',
        'update tags as t set id = 1',
        'delete from tags',
        'copy tags (id) from stdin',
        'truncate table tags',
      ].map((sql): Example[] => [
        ['db/migrations/0001_tags.sql', 'create table tags ('],
        ['src/server/tags/a.ts', 'sql`insert into tags (id)`'],
        ['src/server/reps/b.ts', `sql\`with x as (\n  ${sql})\``],
      ]),
      [['src/server/tags/a.ts', 'sql`insert into tags (id)`']],
      ...[
        `delete from \${sql(table)}`,
        `update \${sql(table)} t set id = 1`,
        `copy \${sql(table)} (id) from stdin`,
      ].map((sql): Example[] => [['src/server/tags/a.ts', `sql\`${sql}\``]]),
    ],
  ],
  [
    'tables are created by migrations',
    tablesOutsideMigrations,
    [[['src/server/tags/a.ts', 'sql`create table tags (id uuid)`']]],
  ],
  [
    'file names are in kebab-case and not vague',
    badNames,
    [
      [['src/server/tags/mergeTags.ts', '']],
      [['src/server/Tags/merge.ts', '']],
      [['src/server/utils/merge.ts', '']],
      [['src/server/tags/types.ts', '']],
      [['db/migrations/tags.sql', '']],
    ],
  ],
  ['source files have at most 300 lines', oversizedFiles, [[['src/server/a.ts', '\n'.repeat(301)]]]],
  [
    'there are no default exports',
    defaultExports,
    [[['src/a.ts', 'export default 1']], [['src/a.ts', 'export { a as default }']]],
  ],
  [
    'there are no barrels',
    barrels,
    [[['src/server/tags/index.ts', '']], [['src/server/a.ts', "export * from './b.ts'"]]],
  ],
  [
    'only config.ts reads the environment',
    environmentReaders,
    [
      [['src/server/a.ts', 'process.env.PORT']],
      [['src/server/a.ts', "process['env']"]],
      [['src/server/a.ts', 'const { env } = process']],
      [['src/server/a.ts', "import { env } from 'node:process'"]],
    ],
  ],
]

describe.each(rules)('the rule “%s”', (_rule, check, bad) => {
  test('holds in the repository', () => {
    expect(check(repository.filter(({ path }) => path !== thisFile))).toEqual([])
  })

  const examples = bad.map(files => ({ files, title: files.flat().join(' ').replace(/\s+/g, ' ').trim() }))
  test.each(examples)('detects $title', ({ files }) => {
    expect(check(files.map(([path, text]) => ({ path, text })))).not.toEqual([])
  })
})

test('ordinary code violates no rule', () => {
  const ordinary: Example[] = [
    ['package.json', '{ "dependencies": { "zod": "4", "@scope/name": "1" } }'],
    ['db/migrations/0001_tags.sql', 'create table if not exists tags ('],
    ['src/contract/tags.ts', "import { z } from 'zod'"],
    [
      'src/server/kernel/errors.ts',
      "import type { ErrorCode } from '../../contract/error.ts'\nimport './log.ts'",
    ],
    [
      'src/server/kernel/log.ts',
      "import type { AppError } from './errors.ts'\nimport { b } from '@scope/name/b'",
    ],
    [
      'src/server/protocols/mime/a.ts',
      "import { b } from './b.ts'\nimport { c } from '../../kernel/errors.ts'",
    ],
    [
      'src/server/domain/tags/tags.ts',
      "import { smtp } from '../../protocols/smtp/pool.ts'\nimport { listReps } from '../reps/reps.ts'\n" +
        'sql`insert into tags (id) values (1) on conflict do update set id = 2`\n' +
        'sql`select id from reps for update skip locked`\nsql`create temp table rows (id int)`\nsql`insert into rows`',
    ],
    ['src/server/domain/tags/tags.test.ts', "import { serve } from '../../main.ts'"],
    ['src/server/engine/loop.ts', "import { tag } from '../domain/tags/tags.ts'"],
    [
      'src/server/adapters/http/a.ts',
      "import { findToken } from '../../domain/accounts/tokens.ts'\nimport './b.ts'",
    ],
    ['src/cli/main.ts', "import { serve } from '../server/main.ts'"],
    [
      'src/web/pages/reps/list.tsx',
      "import { Button } from '../../ui/button.tsx'\nimport { api } from '../../api.ts'",
    ],
  ]
  const sources = ordinary.map(([path, text]) => ({ path, text }))
  expect(rules.flatMap(([, check]) => check(sources))).toEqual([])
})
