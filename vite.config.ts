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

export default defineConfig({
  root: 'src/web',
  plugins: [react(), tailwindcss(), routesOfContract],
  build: {
    outDir: '../../dist/web',
    emptyOutDir: true,
    target: 'baseline-widely-available',
    // What is inlined would need an exception from the content security policy.
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
  },
  server: { proxy: { '/v1': 'http://127.0.0.1:4400', '/docs': 'http://127.0.0.1:4400' } },
})
