import { findProviderBySmtp, type MailProvider, mailProviders } from '../../../contract/mail-providers.ts'
import type { SmtpSettings } from '../../protocols/smtp/connection.ts'
import { openSmtpPool, type SmtpPool } from '../../protocols/smtp/pool.ts'

const MAX_POOLS = 200
const CONNECTIONS_PER_MAILBOX = 3
/** Used for providers that limit the connections of a mailbox, so that other programs can connect too. */
const CONNECTIONS_IF_LIMITED = 1

/** The SMTP connections of this process: one pool for each mailbox, replaced when its settings change. */
export class SmtpPools implements AsyncDisposable {
  readonly #pools = new Map<string, { settings: string; pool: SmtpPool }>()
  readonly #closing = new Set<Promise<void>>()

  getPool(mailboxId: string, transport: SmtpSettings): SmtpPool {
    const settings = JSON.stringify(transport)
    const previous = this.#pools.get(mailboxId)
    // Keeps the map in the order of use, so that the first pool is the least recently used one.
    this.#pools.delete(mailboxId)
    const entry =
      previous?.settings === settings
        ? previous
        : { settings, pool: openSmtpPool({ ...transport, maxConnections: getMaxConnections(transport) }) }
    this.#pools.set(mailboxId, entry)
    if (previous && previous !== entry) this.#close(previous.pool)
    const [oldest] = this.#pools
    if (oldest && this.#pools.size > MAX_POOLS) {
      this.#pools.delete(oldest[0])
      this.#close(oldest[1].pool)
    }
    return entry.pool
  }

  #close(pool: SmtpPool): void {
    const closing = pool[Symbol.asyncDispose]().finally(() => this.#closing.delete(closing))
    this.#closing.add(closing)
  }

  async [Symbol.asyncDispose](): Promise<void> {
    for (const { pool } of this.#pools.values()) this.#close(pool)
    this.#pools.clear()
    await Promise.all(this.#closing)
  }
}

function getMaxConnections({ host, accessToken }: SmtpSettings): number {
  const provider = findProviderBySmtp(host)
  const { limits }: Partial<MailProvider> = provider ? mailProviders[provider] : {}
  return accessToken || limits?.connections ? CONNECTIONS_IF_LIMITED : CONNECTIONS_PER_MAILBOX
}
