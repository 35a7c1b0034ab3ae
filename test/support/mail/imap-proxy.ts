import { once } from 'node:events'
import { connect, createServer, type Socket } from 'node:net'

/**
 * An error response to a sign-in. `reply` contains no tag; a reply that starts with `*` also closes the connection.
 * With `isChallenged`, a challenge that explains the error precedes the reply. With `command`, that command gets the
 * error instead. `cut` closes the connection.
 */
export type ImapFault = { reply: string; isChallenged?: true; command?: 'EXAMINE' } | 'cut'

const challenge = `+ ${btoa('{"status":"400","schemes":"Bearer","scope":"https://mail.google.com/"}')}`

/** A proxy to an IMAP server that rejects sign-ins with the faults of `findFault`, and forwards everything else. */
export class ImapProxy implements AsyncDisposable {
  /** Returns the user's error, if any. */
  findFault: (user: string) => ImapFault | undefined = () => undefined
  /** Returns the token that replaces the user's token. */
  exchangeToken: (user: string, token: string) => string = (_user, token) => token
  readonly #sockets = new Set<Socket>()
  readonly #listener = createServer(client => this.#connect(client))
  readonly #target: number

  private constructor(target: number) {
    this.#target = target
  }

  static async open(target: number): Promise<ImapProxy> {
    const proxy = new ImapProxy(target)
    proxy.#listener.listen(0, '127.0.0.1')
    await once(proxy.#listener, 'listening')
    return proxy
  }

  get port(): number {
    return (this.#listener.address() as { port: number }).port
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const socket of this.#sockets) socket.destroy()
    this.#listener.close()
    await once(this.#listener, 'close')
  }

  #replaceToken(line: string): string {
    const [tag, command, method, response = ''] = line.split(' ')
    const { user, token } = readSignIn(line)
    if (command !== 'AUTHENTICATE' || !token) return line
    const sent = Buffer.from(response, 'base64').toString()
    return `${tag} ${command} ${method} ${btoa(sent.replace(token, this.exchangeToken(user, token)))}`
  }

  #connect(client: Socket): void {
    const server = connect(this.#target, '127.0.0.1')
    const end = () => [client, server].map(each => each.destroy())
    for (const socket of [client, server]) {
      this.#sockets.add(socket)
      socket.on('error', () => undefined).on('close', () => end() && this.#sockets.delete(socket))
    }
    server.on('data', chunk => client.write(chunk))
    let user = ''
    let afterChallenge: string | undefined

    const answer = (tag: string, reply: string): void => {
      if (reply.startsWith('*')) client.end(`${reply}\r\n`)
      else client.write(`${tag} ${reply}\r\n`)
    }

    /** Responds to the line if a fault applies; returns whether it did. */
    const intercept = (line: string): boolean => {
      if (afterChallenge !== undefined) {
        answer(...(afterChallenge.split('\n') as [string, string]))
        afterChallenge = undefined
        return true
      }
      const [tag = '', command = ''] = line.split(' ')
      if (command === 'AUTHENTICATE') user = readSignIn(line).user
      const fault = this.findFault(user)
      const isFaulty =
        command === (typeof fault === 'object' ? (fault.command ?? 'AUTHENTICATE') : 'AUTHENTICATE')
      if (!fault || !isFaulty) return false
      if (fault === 'cut') client.end()
      else if (!fault.isChallenged) answer(tag, fault.reply)
      else {
        afterChallenge = `${tag}\n${fault.reply}`
        client.write(`${challenge}\r\n`)
      }
      return true
    }

    let input = ''
    client.on('data', chunk => {
      input += chunk.toString('latin1')
      for (let end = input.indexOf('\r\n'); end >= 0; end = input.indexOf('\r\n')) {
        const line = input.slice(0, end)
        input = input.slice(end + 2)
        if (!intercept(line)) server.write(`${this.#replaceToken(line)}\r\n`, 'latin1')
      }
    })
  }
}

/** Reads user and token from the initial response of XOAUTH2 or OAUTHBEARER. */
function readSignIn(line: string): { user: string; token: string } {
  const response = Buffer.from(line.split(' ')[3] ?? '', 'base64').toString()
  const [user = '', ...fields] = response.split('\x01')
  const token = fields.find(field => field.startsWith('auth=Bearer '))?.slice('auth=Bearer '.length) ?? ''
  return { user: user.replace(/^(?:user=|n,a=)/, '').replace(/,$/, ''), token }
}
