import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Failpoint, Failure } from '../../src/server/kernel/failpoints.ts'
import { type TestApp, testSecret } from '../support/app.ts'
import { environment } from '../support/processes/environment.ts'
import type { Clock } from './settled.ts'

/** Fails once: at that failpoint, when it works on something of that group. */
export type Armed = { name: Failpoint; group: string; failure: Failure }

/** What a parent may tell its engines; `groups` says to which group the keys of failpoints belong. */
export type Order = {
  clockOffsetMs?: number
  groups?: Record<string, string>
  arm?: Armed[]
  disarm?: string[]
}

/** An engine that is to go on is told again after as long, as it may stop itself well after it has said so. */
const RESUME_MS = 500

type Engine = { child: ChildProcess; ended: Promise<unknown>; isFrozen: boolean }

/**
 * Engines as processes on one database, each replaced when it dies at a failpoint. They share a clock that only the
 * test moves on, and no failure is left armed once it has happened in one of them.
 */
export class EngineProcesses implements AsyncDisposable {
  /** Every failure that happened, as `failpoint group`, in order. */
  readonly fired: string[] = []
  /** The same as events. */
  readonly firings = new EventEmitter()
  deaths = 0
  readonly #app: TestApp
  readonly #settings: Record<string, string>
  readonly #engines = new Set<Engine>()
  readonly #armed = new Map<string, Armed>()
  readonly #starting = new Set<Promise<void>>()
  #orders: Order = { clockOffsetMs: 0 }
  #sent = 0
  #isOver = false

  constructor(app: TestApp, settings: Record<string, string> = {}) {
    this.#app = app
    this.#settings = settings
  }

  static async open(
    app: TestApp,
    count: number,
    order: Order = {},
    settings?: Record<string, string>,
  ): Promise<EngineProcesses> {
    const processes = new EngineProcesses(app, settings)
    processes.tell(order)
    await Promise.all(Array.from({ length: count }, () => processes.start()))
    return processes
  }

  get children(): ChildProcess[] {
    return Array.from(this.#engines, ({ child }) => child)
  }

  get armed(): Armed[] {
    return [...this.#armed.values()]
  }

  /** To all that run, and to those that come. Done when all but those that stand still have taken it in. */
  async tell(order: Order): Promise<void> {
    const { arm = [], disarm = [], ...kept } = order
    const groups = { ...this.#orders.groups, ...kept.groups }
    this.#orders = { ...this.#orders, ...kept, groups }
    for (const each of arm) this.#armed.set(`${each.name} ${each.group}`, each)
    for (const each of disarm) this.#armed.delete(each)
    await Promise.all(Array.from(this.#engines, engine => this.#send(engine, order)))
  }

  async #send({ child, ended, isFrozen }: Engine, order: Order): Promise<void> {
    if (!child.connected) return
    this.#sent += 1
    // Not `once`, which listens for errors as well: dozens may be on their way, and `ended` hears those.
    const heard = new Promise<void>(resolve => child.once(`heard ${this.#sent}`, () => resolve()))
    child.send({ ...order, id: this.#sent }, () => {})
    if (!isFrozen) await Promise.race([heard, ended])
  }

  /** Until it hears what it was told after it had said that it would stop. */
  async #resume(engine: Engine): Promise<void> {
    const resuming = setInterval(() => engine.isFrozen || engine.child.kill('SIGCONT'), RESUME_MS)
    await this.#send(engine, {})
    clearInterval(resuming)
  }

  /** Resolves when this many engines have died and each is replaced by one that is ready. */
  async waitForReplacements(deaths: number): Promise<void> {
    while (this.deaths < deaths) await sleep(RESUME_MS / 10)
    await Promise.all(this.#starting)
  }

  /** Those that stand still go on. */
  thaw(): void {
    for (const engine of this.#engines) {
      engine.isFrozen = false
      engine.child.kill('SIGCONT')
    }
  }

  /** The clock of all of them. */
  readonly clock: Clock = {
    now: () => new Date(Date.now() + this.#orders.clockOffsetMs!),
    advance: ms => this.tell({ clockOffsetMs: this.#orders.clockOffsetMs! + Math.ceil(ms) }),
  }

  async start(): Promise<ChildProcess> {
    const settings = {
      OVERTURE_DATA: this.#app.dataDir,
      OVERTURE_SECRET: testSecret,
      ALLOW_PRIVATE_HOSTS: '127.0.0.1',
      LOG_LEVEL: 'silent',
      ...this.#settings,
    }
    const child = fork(
      join(import.meta.dirname, 'engine-child.ts'),
      [JSON.stringify([this.#app.connection, settings])],
      {
        execArgv: [],
        stdio: ['ignore', 'pipe', 'inherit', 'ipc'],
        env: environment(),
      },
    )
    const engine: Engine = { child, ended: once(child, 'exit'), isFrozen: false }
    child.on('message', said => child.emit(typeof said === 'number' ? `heard ${said}` : 'ready'))
    this.#engines.add(engine)
    createInterface({ input: child.stdout! }).on('line', place => {
      this.fired.push(place)
      const armed = this.#armed.get(place)
      engine.isFrozen = armed?.failure.do === 'stop'
      // It came to the same place before it heard that another engine had: that one stands still for both.
      if (!armed) void this.#resume(engine)
      this.tell({ disarm: [place] })
      this.firings.emit(place)
    })
    child.once('exit', (code, signal) => {
      this.#engines.delete(engine)
      if (this.#isOver) return
      // An engine that a test ends is asked to, or killed; any other end is a fault of the engine, which fails the test.
      if (code) this.firings.emit('error', new Error(`An engine ended by itself, with code ${code}.`))
      if (signal !== 'SIGKILL') return
      this.deaths += 1
      const starting = this.start()
        .then(() => undefined)
        .finally(() => this.#starting.delete(starting))
      this.#starting.add(starting)
    })
    const isReady = once(child, 'ready')
    void this.#send(engine, { ...this.#orders, arm: this.armed })
    await Promise.race([isReady, engine.ended])
    return child
  }

  /** Ends them in order. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isOver = true
    await Promise.all(this.#starting)
    await Promise.all(
      Array.from(this.#engines, async ({ child, ended }) => {
        child.kill('SIGCONT')
        if (child.connected) child.disconnect()
        await ended
      }),
    )
  }
}
