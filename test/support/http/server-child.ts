import { readConfig } from '../../../src/server/kernel/config.ts'
import { deriveKeys } from '../../../src/server/kernel/crypto.ts'
import { type DatabaseConnection, openDatabase } from '../../../src/server/kernel/db/database.ts'
import { openLog } from '../../../src/server/kernel/log.ts'
import { openMetrics } from '../../../src/server/kernel/metrics.ts'
import { serve } from '../../../src/server/main.ts'
import { burn, type LoopMeter, measureSlowness, openLoopMeter } from '../contract/loop-meter.ts'

// Runs the server in its own process until its parent disconnects.
const [connection, settings] = JSON.parse(process.argv[2]!) as [DatabaseConnection, Record<string, string>]
const config = readConfig({}, settings)
const disconnected = new Promise(resolve => process.once('disconnect', resolve))

await using db = await openDatabase(connection)
const app = {
  config,
  db,
  keys: deriveKeys(config.secret!),
  log: openLog(config.logLevel),
  metrics: openMetrics(),
  now: () => new Date(),
}
await using running = await serve(config, {
  app,
  dataDir: config.dataDir!,
  [Symbol.asyncDispose]: async () => {},
})
let meter: LoopMeter | undefined
process.on('message', (command: 'takeLongestTurn' | 'measureSlowness' | { burn: number }) => {
  if (typeof command === 'object') return burn(command.burn)
  if (command === 'measureSlowness') return process.send!(measureSlowness())
  meter ??= openLoopMeter()
  process.send!(meter.takeLongestMs())
})
process.send!(running.url, undefined, undefined, () => {})
await disconnected
