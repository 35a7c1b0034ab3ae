import { isIP } from 'node:net'
import { asciiDomain } from '../identity/domain.ts'
import { type Element, findChild, getText, listChildren, parseXml } from '../xml/elements.ts'

/** A receiver's aggregate report about mail that names a domain as its sender (DMARC, RFC 9990). */
export type DmarcReport = {
  domain: string
  /** The receiver that wrote the report. */
  organization: string
  reportId: string
  beginsAt: Date
  endsAt: Date
  sources: DmarcSource[]
}

/** Counts of the messages from one server. */
export type DmarcSource = {
  ip: string
  messages: number
  /** Number of messages that passed DMARC, by aligned DKIM or SPF. */
  passed: number
  dkimPassed: number
  spfPassed: number
  quarantined: number
  rejected: number
  /** Domains whose DKIM or SPF check passed for these messages. */
  domains: string[]
}

const MAX_SOURCES = 2_000
const MAX_DOMAINS = 10
const MAX_COUNT = 1_000_000_000
const EARLIEST = Date.UTC(2012, 0)
const DAY_MS = 86_400_000

/**
 * Parses a report, with or without the namespace of RFC 9990. Returns undefined for other documents and implausible
 * reports.
 */
export function parseDmarcReport(xml: string, now: Date): DmarcReport | undefined {
  const feedback = findChild(parseXml(xml), 'feedback')
  const metadata = findChild(feedback, 'report_metadata')
  const domain = asciiDomain(getText(findChild(feedback, 'policy_published'), 'domain'))
  const reportId = getText(metadata, 'report_id').slice(0, 300)
  const organization = getText(metadata, 'org_name').slice(0, 200)
  const range = findChild(metadata, 'date_range')
  const [beginsAt, endsAt] = ['begin', 'end'].map(
    name => new Date(Number(getText(range, name) || 'x') * 1000),
  ) as [Date, Date]
  const isPlausible =
    beginsAt.getTime() >= EARLIEST && beginsAt <= endsAt && endsAt.getTime() <= now.getTime() + 2 * DAY_MS
  if (!feedback || !domain || !reportId || !organization || !isPlausible) return undefined
  return { domain, organization, reportId, beginsAt, endsAt, sources: readSources(feedback) }
}

function readSources(feedback: Element): DmarcSource[] {
  const sources = new Map<string, DmarcSource>()
  for (const record of listChildren(feedback, 'record')) {
    const row = findChild(record, 'row')
    const ip = getText(row, 'source_ip').toLowerCase()
    const messages = Number(getText(row, 'count'))
    if (!isIP(ip) || !Number.isSafeInteger(messages) || messages < 1 || messages > MAX_COUNT) continue
    if (!sources.has(ip) && sources.size === MAX_SOURCES) continue
    const source = sources.get(ip) ?? createSource(ip)
    addRow(source, messages, findChild(row, 'policy_evaluated'))
    source.domains = [...new Set([...source.domains, ...listPassedDomains(record)])].slice(0, MAX_DOMAINS)
    sources.set(ip, source)
  }
  return [...sources.values()]
}

const createSource = (ip: string): DmarcSource => ({
  ip,
  messages: 0,
  passed: 0,
  dkimPassed: 0,
  spfPassed: 0,
  quarantined: 0,
  rejected: 0,
  domains: [],
})

function addRow(source: DmarcSource, messages: number, evaluated: Element | undefined): void {
  const [dkim, spf] = ['dkim', 'spf'].map(name => getText(evaluated, name).toLowerCase() === 'pass')
  const disposition = getText(evaluated, 'disposition').toLowerCase()
  const add = (name: Exclude<keyof DmarcSource, 'ip' | 'domains'>, applies: boolean | undefined) => {
    if (applies) source[name] = Math.min(MAX_COUNT, source[name] + messages)
  }
  add('messages', true)
  add('passed', dkim || spf)
  add('dkimPassed', dkim)
  add('spfPassed', spf)
  add('quarantined', disposition === 'quarantine')
  add('rejected', disposition === 'reject')
}

/** Lists the domains whose DKIM or SPF check passed, even if not aligned, because they identify the actual sender. */
const listPassedDomains = (record: Element): string[] =>
  ['dkim', 'spf']
    .flatMap(name => listChildren(findChild(record, 'auth_results'), name))
    .filter(result => getText(result, 'result').toLowerCase() === 'pass')
    .slice(0, MAX_DOMAINS)
    .flatMap(result => asciiDomain(getText(result, 'domain')) ?? [])
