import { execFile } from 'node:child_process'
import { existsSync } from 'node:fs'
import { mkdtemp, rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { promisify } from 'node:util'

const program = ['/usr/bin/chromium', '/usr/bin/chromium-browser', '/usr/bin/google-chrome'].find(existsSync)

/** Loud on purpose: in CI these tests must run. */
export function hasChromium(): boolean {
  if (program) return true
  if (process.env.CI) throw new Error('Chromium is missing: install the package chromium')
  console.warn('SKIPPED: tests in a browser need Chromium (apt-get install chromium)')
  return false
}

/** Opens a page as a person does, scripts and all; gives what it then consists of. */
export async function openInChromium(url: string): Promise<string> {
  const profile = await mkdtemp(join(tmpdir(), 'overture-chromium-'))
  try {
    const flags = ['--headless', '--no-sandbox', '--disable-gpu', '--virtual-time-budget=10000']
    const args = [...flags, `--user-data-dir=${profile}`, '--dump-dom', url]
    return (await promisify(execFile)(program!, args, { timeout: 50_000 })).stdout
  } finally {
    await rm(profile, { recursive: true, force: true, maxRetries: 5 })
  }
}
