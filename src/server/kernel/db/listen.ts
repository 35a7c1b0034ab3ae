import { setTimeout as sleep } from 'node:timers/promises'
import { withJitter } from '../async/backoff.ts'
import type { Session } from './session.ts'

const RETRY_MS = 500

type Listener = { channel: string; onNotification: (payload: string) => void; onListening: () => void }

/** Listens on all channels over one connection, opened with the first channel and reopened when it is lost. */
export function openListener(open: () => Promise<Session>) {
  const listeners: Listener[] = []
  const closing = new AbortController()
  let session: Promise<Session> | undefined

  async function connect(): Promise<Session> {
    const opened = await open()
    try {
      opened.onNotification((channel, payload) => {
        for (const listener of listeners) if (listener.channel === channel) listener.onNotification(payload)
      })
      for (const channel of new Set(listeners.map(listener => listener.channel))) {
        await opened.run(`listen ${channel}`, undefined)
      }
    } catch (error) {
      await opened.end()
      throw error
    }
    opened.onLoss(() => {
      if (closing.signal.aborted) return
      session = reconnect()
      session.catch(() => {})
    })
    for (const { onListening } of listeners) onListening()
    return opened
  }

  async function reconnect(): Promise<Session> {
    for (;;) {
      await sleep(withJitter(RETRY_MS, 0.5), undefined, { signal: closing.signal })
      try {
        return await connect()
      } catch {
        // The server is not back yet.
      }
    }
  }

  return {
    async listen(
      channel: string,
      onNotification: Listener['onNotification'],
      onListening: Listener['onListening'],
    ): Promise<void> {
      const listener = { channel, onNotification, onListening }
      listeners.push(listener)
      if (!session) {
        session = connect()
        session.catch(() => {
          session = undefined
          listeners.length = 0
        })
        await session
      } else {
        await (await session).run(`listen ${channel}`, undefined)
        onListening()
      }
    },
    async end(): Promise<void> {
      closing.abort()
      const opened = await session?.catch(() => undefined)
      await opened?.end()
    },
  }
}
