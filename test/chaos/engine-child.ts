import { writeSync } from 'node:fs'
import { flushCompileCache } from 'node:module'
import { openEngine } from '../../src/server/engine/loop.ts'
import { readConfig } from '../../src/server/kernel/config.ts'
import { deriveKeys } from '../../src/server/kernel/crypto.ts'
import { type DatabaseConnection, openDatabase } from '../../src/server/kernel/db/database.ts'
import { type Failpoint, setFailpoints } from '../../src/server/kernel/failpoints.ts'
import { openLog } from '../../src/server/kernel/log.ts'
import { openMetrics } from '../../src/server/kernel/metrics.ts'
import type { ArmedFailure, Instructions } from './engine-processes.ts'

/** Runs an engine in its own process, with the clock and failures that the parent sends, until SIGTERM or disconnect. */
const [connection, settings] = JSON.parse(process.argv[2]!) as [DatabaseConnection, Record<string, string>]
const config = readConfig({}, settings)
let clockOffsetMs = 0
let groups: Record<string, string> = {}
const armed = new Map<string, ArmedFailure>()

const over = new Promise<void>(resolve => {
  process.once('disconnect', resolve)
  process.once('SIGTERM', resolve)
})
process.on('message', ({ id, ...instructions }: Instructions & { id: number }) => {
  if (instructions.clockOffsetMs !== undefined) clockOffsetMs = instructions.clockOffsetMs
  groups = { ...groups, ...instructions.groups }
  for (const each of instructions.arm ?? []) armed.set(`${each.name} ${each.group}`, each)
  for (const each of instructions.disarm ?? []) armed.delete(each)
  process.send!(id)
})

setFailpoints((name: Failpoint, key) => {
  const failureKey = key
    ? `${name} ${groups[key]}`
    : [...armed.keys()].find(each => each.startsWith(`${name} `))
  const found = armed.get(failureKey ?? '')
  if (!found || !failureKey) return undefined
  armed.delete(failureKey)
  // Reports the failure before it happens, because a killed process can't.
  writeSync(1, `${failureKey}\n`)
  return found.failure
})

await using db = await openDatabase(connection, { maxConnections: 6 })
await using _engine = openEngine({
  config,
  db,
  keys: deriveKeys(config.secret!),
  log: openLog(config.logLevel),
  metrics: openMetrics(),
  now: () => new Date(Date.now() + clockOffsetMs),
})
// Writes the cache now, because a killed process never does.
flushCompileCache()
process.send!('ready', undefined, undefined, () => {})
await over
