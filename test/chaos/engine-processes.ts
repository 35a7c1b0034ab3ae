import { type ChildProcess, fork } from 'node:child_process'
import { EventEmitter, once } from 'node:events'
import { join } from 'node:path'
import { createInterface } from 'node:readline'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Failpoint, Failure } from '../../src/server/kernel/failpoints.ts'
import { type TestApp, testSecret } from '../support/app.ts'
import { environment } from '../support/processes/environment.ts'
import type { Clock } from './wait-until-idle.ts'

/** A failure that happens once: at this failpoint, for work that belongs to this group. */
export type ArmedFailure = { name: Failpoint; group: string; failure: Failure }

/** Instructions from the parent to its engines; `groups` maps failpoint keys to groups. */
export type Instructions = {
  clockOffsetMs?: number
  groups?: Record<string, string>
  arm?: ArmedFailure[]
  disarm?: string[]
}

/** Interval at which SIGCONT is repeated, because an engine stops itself only some time after announcing it. */
const RESUME_MS = 500

type Engine = { child: ChildProcess; ended: Promise<unknown>; isFrozen: boolean }

/**
 * Engine processes on one database. An engine that is killed, at a failpoint or by the test, is replaced. The engines
 * share a clock that the test moves forward. A failure that has happened in one engine is disarmed in all engines.
 */
export class EngineProcesses implements AsyncDisposable {
  /** Failures that have happened, as `failpoint group`, in order. */
  readonly fired: string[] = []
  /** Emits the entries of `fired` as they happen. */
  readonly firedEvents = new EventEmitter()
  deaths = 0
  readonly #app: TestApp
  readonly #settings: Record<string, string>
  readonly #engines = new Set<Engine>()
  readonly #armed = new Map<string, ArmedFailure>()
  readonly #starting = new Set<Promise<void>>()
  #instructions: Instructions = { clockOffsetMs: 0 }
  #sent = 0
  #isDisposed = false

  constructor(app: TestApp, settings: Record<string, string> = {}) {
    this.#app = app
    this.#settings = settings
  }

  static async open(
    app: TestApp,
    count: number,
    instructions: Instructions = {},
    settings?: Record<string, string>,
  ): Promise<EngineProcesses> {
    const processes = new EngineProcesses(app, settings)
    processes.instruct(instructions)
    await Promise.all(Array.from({ length: count }, () => processes.start()))
    return processes
  }

  get children(): ChildProcess[] {
    return Array.from(this.#engines, ({ child }) => child)
  }

  get armed(): ArmedFailure[] {
    return [...this.#armed.values()]
  }

  /** Instructs all current and future engines. Resolves when every engine that isn't frozen has acknowledged. */
  async instruct(instructions: Instructions): Promise<void> {
    const { arm = [], disarm = [], ...kept } = instructions
    const groups = { ...this.#instructions.groups, ...kept.groups }
    this.#instructions = { ...this.#instructions, ...kept, groups }
    for (const each of arm) this.#armed.set(`${each.name} ${each.group}`, each)
    for (const each of disarm) this.#armed.delete(each)
    await Promise.all(Array.from(this.#engines, engine => this.#send(engine, instructions)))
  }

  async #send({ child, ended, isFrozen }: Engine, instructions: Instructions): Promise<void> {
    if (!child.connected) return
    this.#sent += 1
    // Not `once` from node:events, which adds an error listener for each of dozens of pending messages.
    const acknowledged = new Promise<void>(resolve => child.once(`ack ${this.#sent}`, () => resolve()))
    child.send({ ...instructions, id: this.#sent }, () => {})
    if (!isFrozen) await Promise.race([acknowledged, ended])
  }

  /** Sends SIGCONT until the engine acknowledges a message. */
  async #resume(engine: Engine): Promise<void> {
    const resuming = setInterval(() => engine.isFrozen || engine.child.kill('SIGCONT'), RESUME_MS)
    await this.#send(engine, {})
    clearInterval(resuming)
  }

  /** Resolves when this many engines have died and all replacements are ready. */
  async waitForReplacements(deaths: number): Promise<void> {
    while (this.deaths < deaths) await sleep(RESUME_MS / 10)
    await Promise.all(this.#starting)
  }

  /** Resumes all frozen engines. */
  thaw(): void {
    for (const engine of this.#engines) {
      engine.isFrozen = false
      engine.child.kill('SIGCONT')
    }
  }

  /** The clock that all engines share. */
  readonly clock: Clock = {
    now: () => new Date(Date.now() + this.#instructions.clockOffsetMs!),
    advance: ms => this.instruct({ clockOffsetMs: this.#instructions.clockOffsetMs! + Math.ceil(ms) }),
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
    child.on('message', message => child.emit(typeof message === 'number' ? `ack ${message}` : 'ready'))
    this.#engines.add(engine)
    createInterface({ input: child.stdout! }).on('line', failureKey => {
      this.fired.push(failureKey)
      const armed = this.#armed.get(failureKey)
      engine.isFrozen = armed?.failure.do === 'stop'
      // Another engine froze here first, and this one froze before the failure was disarmed. Only the first stays
      // frozen.
      if (!armed) void this.#resume(engine)
      this.instruct({ disarm: [failureKey] })
      this.firedEvents.emit(failureKey)
    })
    child.once('exit', (code, signal) => {
      this.#engines.delete(engine)
      if (this.#isDisposed) return
      // Tests end engines with SIGTERM or SIGKILL. An exit code means that the engine failed, which fails the test.
      if (code) this.firedEvents.emit('error', new Error(`An engine exited unexpectedly with code ${code}.`))
      if (signal !== 'SIGKILL') return
      this.deaths += 1
      const starting = this.start()
        .then(() => undefined)
        .finally(() => this.#starting.delete(starting))
      this.#starting.add(starting)
    })
    const isReady = once(child, 'ready')
    void this.#send(engine, { ...this.#instructions, arm: this.armed })
    await Promise.race([isReady, engine.ended])
    return child
  }

  /** Shuts all engines down gracefully. */
  async [Symbol.asyncDispose](): Promise<void> {
    this.#isDisposed = true
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
