import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, describe, expect, it } from 'vitest'
import type { BuildManifest } from '../../src/server/adapters/http/page-scripts.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { openTestServer } from '../support/http/server.ts'

const MAX_BYTES = 200_000

/** Layout pages that are shown around other pages. */
const frames: Record<string, string[]> = {
  inbox: ['pages/inbox/inbox.tsx'],
  campaigns: ['pages/campaigns/campaign-frame.tsx'],
  settings: ['pages/settings/settings-layout.tsx'],
}

describe('the scripts that a page needs before it can be used', () => {
  let manifest: BuildManifest
  beforeAll(() => {
    buildWeb()
    const path = join(import.meta.dirname, '../../dist/web/manifest.json')
    manifest = JSON.parse(readFileSync(path, 'utf8'))
  })

  const addFiles = (files: Set<string>, source: string): Set<string> => {
    const { file, imports = [] } = manifest[source]!
    return files.has(file) ? files : imports.reduce(addFiles, files.add(file))
  }
  const listScripts = (page: string): string[] => {
    const sources = Object.keys(manifest)
    const shared = sources.filter(source => manifest[source]!.isEntry || manifest[source]!.name === 'frame')
    return [...[...shared, ...(frames[page.split('/')[1]!] ?? []), page].reduce(addFiles, new Set())]
  }

  it(`are at most ${MAX_BYTES / 1000} kB for every page, compressed`, async () => {
    await using server = await openTestServer()
    const fetchSize = async (file: string): Promise<number> => {
      const response = await fetch(`${server.url}/${file}`, { headers: { 'accept-encoding': 'br' } })
      await response.body?.cancel()
      return Number(response.headers.get('content-length'))
    }
    const pages = Object.keys(manifest).filter(
      source => source.startsWith('pages/') && manifest[source]!.isDynamicEntry,
    )
    expect(pages.length).toBeGreaterThan(50)
    const files = [...new Set(pages.flatMap(listScripts))]
    const sizes = new Map(await Promise.all(files.map(async file => [file, await fetchSize(file)] as const)))
    for (const size of sizes.values()) expect(size).toBeGreaterThan(0)
    const getSize = (page: string) => listScripts(page).reduce((sum, file) => sum + sizes.get(file)!, 0)
    const tooLarge = pages.map(page => [page, getSize(page)] as const).filter(([, size]) => size > MAX_BYTES)
    expect(tooLarge).toEqual([])
  })
})
