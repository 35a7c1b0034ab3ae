import { spawnSync } from 'node:child_process'
import { environment } from './environment.ts'

/** Reports whether MCP Inspector is available. Only CI fetches this large package; locally, npm must have it cached. */
export function hasInspector(name: string): boolean {
  if (process.env.CI === 'true') return true
  const args = ['--offline', '--yes', name, '--cli', '--version']
  if (spawnSync('npx', args, { env: environment(), stdio: 'ignore', timeout: 30_000 }).status === 0)
    return true
  console.warn(`SKIPPED: needs ${name} in npm's cache (npx --yes ${name} --cli --version)`)
  return false
}

/** Returns npm's cache folder, for a process with another home. */
export const npmCache = (): string =>
  spawnSync('npm', ['config', 'get', 'cache'], { env: environment(), encoding: 'utf8' }).stdout.trim()
