import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress } from 'node:zlib'
import tailwindcss from '@tailwindcss/vite'
import react from '@vitejs/plugin-react'
import { defineConfig, type Plugin } from 'vite'
import { operations } from './src/contract/index.ts'

/**
 * Reduces the list of all operations to their methods and paths. Schemas, and zod with them, are loaded only by the
 * pages that import them from the contract file of their area.
 */
const contractRoutes: Plugin = {
  name: 'contract-routes',
  load: {
    filter: { id: /\/src\/contract\/index\.ts$/ },
    handler: () => {
      const routes = Object.entries(operations).map(([name, { method, path }]) => [name, { method, path }])
      return `export const operations = ${JSON.stringify(Object.fromEntries(routes))}`
    },
  },
}

/** Compresses scripts and styles during the build, because Brotli's best level would delay the start of a server. */
const precompression: Plugin = {
  name: 'precompression',
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
 * Without HTTP/2, a browser loads at most six files at a time, and each costs a round trip. Code that most pages need
 * is therefore bundled into a few files.
 */
const chunks = [
  { name: 'app', tags: ['$initial' as const] },
  {
    name: 'parts',
    test: /\/web\/(ui\/(badge|empty-state|field|filter-chips|filter-select|leave-guard|load-more|page|progress-bar|search-box|selection|sentence|skeleton)|components\/(conversations|download|opt-out-dialog|person-name|rep-field))\.tsx?$/,
  },
  // The server looks up this chunk by its name.
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
  plugins: [react(), tailwindcss(), contractRoutes, precompression],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    // The server looks up each page's scripts in the manifest.
    manifest: 'manifest.json',
    target: 'baseline-widely-available',
    // Inlined assets would need an exception from the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    rolldownOptions: { output: { codeSplitting: { groups: chunks } } },
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4400', '/docs': 'http://127.0.0.1:4400' } },
})
