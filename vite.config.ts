import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { operations } from './src/contract/index.ts'

/**
 * In the browser the list of all operations is where each is to be found. Their schemas, and zod with them, come with
 * the pages that import them from the file of their area.
 */
const routesOfContract: Plugin = {
  name: 'routes-of-contract',
  load: {
    filter: { id: /\/src\/contract\/index\.ts$/ },
    handler: () => {
      const routes = Object.entries(operations).map(([name, { method, path }]) => [name, { method, path }])
      return `export const operations = ${JSON.stringify(Object.fromEntries(routes))}`
    },
  },
}

/** Compresses scripts and styles once, as well as Brotli can: too slow for a server that starts. */
const compressed: Plugin = {
  name: 'compressed',
  async writeBundle({ dir = '' }, bundle) {
    const files = Object.keys(bundle).filter(file => /\.(js|css)$/.test(file))
    await Promise.all(
      files.map(async file => {
        const path = join(dir, file)
        await writeFile(`${path}.br`, await promisify(brotliCompress)(await readFile(path)))
      }),
    )
  },
}

/**
 * A browser loads six files at a time from a server without HTTP/2, and each costs a round trip. So what all or most pages
 * need is in a few files.
 */
const chunks = [
  { name: 'app', tags: ['$initial' as const] },
  {
    name: 'parts',
    test: /\/web\/(ui\/(badge|empty-state|field|filter-chips|filter-select|leave-guard|load-more|page|progress-bar|search-box|selection|skeleton)|components\/(conversations|download|opt-out-dialog|person-name|rep-field))\.tsx?$/,
  },
  // The server looks this one up by its name.
  { name: 'frame', test: /\/web\/shell\.tsx$/ },
  { name: 'table', test: /\/web\/ui\/table\.tsx$/ },
  {
    name: 'schemas',
    test: /\/contract\/(countries|csv|custom-fields|page|person-fields|person-imports|schedule)\.ts$/,
  },
  { name: 'form', test: /\/web\/ui\/form\.tsx$/ },
]

export default defineConfig({
  root: 'src/web',
  plugins: [react(), tailwindcss(), routesOfContract, compressed],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    // The server reads which scripts a page needs.
    manifest: 'manifest.json',
    target: 'baseline-widely-available',
    // What is inlined would need an exception from the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: chunks } } },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4400', '/docs': 'http://127.0.0.1:4400' } },
})
