import { parse } from 'tldts'
import { createSemaphore } from '../../kernel/async/semaphore.ts'
import type { App } from '../../kernel/context.ts'
import { setBounded } from '../../kernel/set-bounded.ts'
import { DnsError, type DnsResolver, openDns } from './resolver.ts'

/** The reason a domain receives no email: it has no mail server, or a null MX record (RFC 7505) says so. */
export type UndeliverableReason = 'no_mail_server' | 'null_mx'

type Verdict = UndeliverableReason | 'receives_mail' | 'unknown'

const MINUTE_MS = 60_000
/** The time after which a verdict expires. It is short for a domain without a mail server, which may be fixed soon. */
const maxAgeMs: Record<Verdict, number> = {
  receives_mail: 24 * 60 * MINUTE_MS,
  no_mail_server: 10 * MINUTE_MS,
  null_mx: 10 * MINUTE_MS,
  unknown: 5 * MINUTE_MS,
}

const MAX_VERDICTS = 100_000
const MAX_DOMAINS_AT_ONCE = 5_000
const MAX_QUERIES = 50
/** Pause before the next query to a resolver that finds no mail domain at all. */
const PAUSE_MS = MINUTE_MS
/** Domains that certainly receive mail. A resolver without internet access may report that not even these exist. */
const knownDomains = ['gmail.com', 'outlook.com']

/**
 * Caches whether domains receive email, judging by their MX, A and AAAA records. A domain whose query fails is unknown,
 * which does not prevent sending. Names outside the public DNS, such as acme.example and office.lan, are never queried.
 */
export class MailDomains {
  readonly #servers: readonly string[]
  readonly #now: () => Date
  readonly #verdicts = new Map<string, { verdict: Verdict; expiresAt: number }>()
  #pausedUntil = 0

  constructor({ config, now }: Pick<App, 'config' | 'now'>) {
    this.#servers = config.dnsServers
    this.#now = now
  }

  /** Returns why the domain receives no email; undefined if it does or is unknown. */
  findUndeliverableReason(domain: string): UndeliverableReason | undefined {
    const verdict = this.#get(domain)
    return verdict === 'no_mail_server' || verdict === 'null_mx' ? verdict : undefined
  }

  /** Returns true if DNS was not queried or did not respond. */
  isUnknown(domain: string): boolean {
    return isPublic(domain) && (this.#get(domain) ?? 'unknown') === 'unknown'
  }

  /** Returns the domains that `check` would query. */
  listUnchecked(domains: Iterable<string>): string[] {
    if (this.#pausedUntil > this.#now().getTime()) return []
    return [...new Set(domains)].filter(domain => isPublic(domain) && !this.#get(domain))
  }

  /** Queries DNS for domains without a verdict, for at most `timeoutMs`. */
  async check(domains: Iterable<string>, timeoutMs: number): Promise<void> {
    const unchecked = this.listUnchecked(domains).slice(0, MAX_DOMAINS_AT_ONCE)
    if (unchecked.length === 0) return
    using dns = openDns(this.#servers, timeoutMs)
    const deadline = AbortSignal.timeout(timeoutMs)
    const query = createSemaphore(MAX_QUERIES)
    const verdicts = await Promise.all(
      unchecked.map(domain =>
        query(async () => (deadline.aborted ? 'unknown' : await findVerdict(dns, domain))),
      ),
    )
    const needsProbe = verdicts.some(isUndeliverable) || verdicts.every(verdict => verdict === 'unknown')
    const isUnreliable = needsProbe && !(await findsMailDomains(dns))
    for (const [index, domain] of unchecked.entries()) {
      const verdict = isUnreliable && isUndeliverable(verdicts[index]!) ? 'unknown' : verdicts[index]!
      const expiresAt = this.#now().getTime() + maxAgeMs[verdict]
      setBounded(this.#verdicts, domain, { verdict, expiresAt }, MAX_VERDICTS)
    }
    if (isUnreliable) this.#pausedUntil = this.#now().getTime() + PAUSE_MS
  }

  #get(domain: string): Verdict | undefined {
    const entry = this.#verdicts.get(domain)
    return entry && entry.expiresAt > this.#now().getTime() ? entry.verdict : undefined
  }
}

const isPublic = (domain: string): boolean => parse(domain).isIcann === true

const isUndeliverable = (verdict: Verdict): boolean => verdict === 'no_mail_server' || verdict === 'null_mx'

async function findVerdict(dns: DnsResolver, domain: string): Promise<Verdict> {
  try {
    const hosts = await dns.mx(domain)
    if (hosts.length > 0)
      return hosts.every(host => host === '' || host === '.') ? 'null_mx' : 'receives_mail'
    // RFC 5321 section 5.1: without MX records, mail goes to the address of the domain.
    return (await dns.hasAddress(domain)) ? 'receives_mail' : 'no_mail_server'
  } catch (error) {
    if (!(error instanceof DnsError)) throw error
    return 'unknown'
  }
}

async function findsMailDomains(dns: DnsResolver): Promise<boolean> {
  const verdicts = await Promise.all(knownDomains.map(domain => findVerdict(dns, domain)))
  return verdicts.includes('receives_mail')
}

const caches = new WeakMap<App['config'], MailDomains>()

/** Returns the cache of this process. */
export const getMailDomains = (app: Pick<App, 'config' | 'now'>): MailDomains =>
  caches.getOrInsertComputed(app.config, () => new MailDomains(app))
