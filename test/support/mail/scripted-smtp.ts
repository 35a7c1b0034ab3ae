import { once } from 'node:events'
import { createServer, type Socket } from 'node:net'

/** Points at which a script may react; `BODY` is every chunk of a message, `DOT` its end. */
export type Step =
  | 'CONNECT'
  | 'EHLO'
  | 'AUTH'
  | 'STARTTLS'
  | 'MAIL'
  | 'RCPT'
  | 'DATA'
  | 'BODY'
  | 'DOT'
  | 'RSET'
  | 'QUIT'

/**
 * A reply without a line ending. `cut` closes the connection, `reset` resets it, `silent` sends nothing, and `stall`
 * stops reading.
 */
export type Reaction = string | 'cut' | 'reset' | 'silent' | 'stall' | undefined

export type Transfer = { envelope: string[]; wire: Buffer; isComplete: boolean }

const defaultReplies: Record<Step, Reaction> = {
  CONNECT: '220 scripted.test ESMTP',
  EHLO: '250-scripted.test\r\n250-SIZE 50000000\r\n250-PIPELINING\r\n250 AUTH PLAIN LOGIN XOAUTH2',
  AUTH: '235 2.7.0 welcome',
  STARTTLS: '454 4.7.0 not now',
  MAIL: '250 2.1.0 ok',
  RCPT: '250 2.1.5 ok',
  DATA: '354 go on',
  BODY: undefined,
  DOT: '250 2.0.0 ok: queued as SCRIPTED1',
  RSET: '250 2.0.0 ok',
  QUIT: '221 2.0.0 bye',
}

/** A plain TCP mail server that records all received data and fails as scripted. */
export class ScriptedSmtp implements AsyncDisposable {
  readonly transfers: Transfer[] = []
  readonly commands: string[] = []
  connections = 0
  /** Called at every step; `undefined` means the default reply. */
  script: (step: Step, line: string, transfer?: Transfer) => Reaction = () => undefined
  readonly #sockets = new Set<Socket>()
  readonly #server = createServer(socket => this.#serve(socket))
  readonly #watchers = new Set<() => void>()

  static async open(script?: ScriptedSmtp['script']): Promise<ScriptedSmtp> {
    const server = new ScriptedSmtp()
    if (script) server.script = script
    server.#server.listen(0, '127.0.0.1')
    await once(server.#server, 'listening')
    return server
  }

  get port(): number {
    return (this.#server.address() as { port: number }).port
  }

  get openSockets(): number {
    return this.#sockets.size
  }

  /** Sends a reply on every open connection, after a `silent` reaction. */
  answer(reply: string): void {
    for (const socket of this.#sockets) socket.write(`${reply}\r\n`)
  }

  /** Discards recorded transfers and commands. */
  forget(): void {
    this.transfers.length = 0
    this.commands.length = 0
  }

  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>(resolve => this.#watchers.add(resolve))
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#server.close()
    await once(this.#server, 'close')
  }

  #wakeWatchers(): void {
    for (const wake of this.#watchers) wake()
    this.#watchers.clear()
  }

  #serve(socket: Socket): void {
    this.connections += 1
    this.#sockets.add(socket)
    let input: Buffer = Buffer.alloc(0)
    let envelope: string[] = []
    let transfer: Transfer | undefined

    const react = (step: Step, line = '', fallback = defaultReplies[step]): Reaction => {
      const reaction = this.script(step, line, transfer) ?? fallback
      if (reaction === 'cut') socket.end()
      else if (reaction === 'reset') socket.resetAndDestroy()
      else if (reaction === 'stall') socket.pause()
      else if (reaction !== undefined && reaction !== 'silent') socket.write(`${reaction}\r\n`)
      if (reaction?.startsWith('421') || step === 'QUIT') socket.end()
      return reaction
    }

    const readLine = (line: string): void => {
      const step = (/^[A-Z]+/i.exec(line)?.[0].toUpperCase() ?? '') as Step
      this.commands.push(line)
      if (step === 'MAIL') envelope = []
      const fallback = step === 'DATA' && envelope.length < 2 ? '503 5.5.1 no recipients' : undefined
      const reaction = react(step in defaultReplies ? step : 'QUIT', line, fallback)
      if ((step === 'MAIL' || step === 'RCPT') && reaction?.startsWith('2')) envelope.push(line)
      if (step === 'DATA' && reaction?.startsWith('3')) {
        transfer = { envelope, wire: Buffer.alloc(0), isComplete: false }
        this.transfers.push(transfer)
      }
    }

    const readData = (current: Transfer): void => {
      const before = Math.max(0, current.wire.length - 5)
      current.wire = Buffer.concat([current.wire, input])
      input = Buffer.alloc(0)
      const end = current.wire.indexOf('\r\n.\r\n', before)
      if (end < 0) {
        react('BODY')
        return
      }
      input = current.wire.subarray(end + 5)
      current.wire = current.wire.subarray(0, end + 5)
      current.isComplete = true
      react('DOT')
      transfer = undefined
    }

    socket.on('data', (chunk: Buffer) => {
      input = Buffer.concat([input, chunk])
      while (input.length > 0 && !socket.destroyed) {
        const lineEnd = input.indexOf('\r\n')
        if (transfer) readData(transfer)
        else if (lineEnd < 0) break
        else {
          const line = input.subarray(0, lineEnd).toString()
          input = input.subarray(lineEnd + 2)
          readLine(line)
        }
      }
      this.#wakeWatchers()
    })
    socket.on('error', () => undefined)
    socket.on('close', () => {
      this.#sockets.delete(socket)
      this.#wakeWatchers()
    })
    react('CONNECT')
  }
}
