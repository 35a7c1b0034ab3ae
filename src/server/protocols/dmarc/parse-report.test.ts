import { gzipSync } from 'node:zlib'
import { zipSync } from 'fflate'
import { describe, expect, it } from 'vitest'
import { parseDmarcReport } from './parse-report.ts'
import { unpackReport } from './unpack-report.ts'

const now = new Date('2026-11-24T09:00:00Z')

const makeRow = (ip: string, count: string, dkim: string, spf: string, disposition = 'none') => `
  <record>
    <row>
      <source_ip>${ip}</source_ip><count>${count}</count>
      <policy_evaluated><disposition>${disposition}</disposition><dkim>${dkim}</dkim><spf>${spf}</spf></policy_evaluated>
    </row>
    <identifiers><header_from>acme.example</header_from></identifiers>
    <auth_results>
      <dkim><domain>acme.example</domain><selector>s1</selector><result>${dkim}</result></dkim>
      <spf><domain>bounces.mailer.example</domain><result>pass</result></spf>
    </auth_results>
  </record>`

const makeReport = ({
  root = '<feedback>',
  begin = '1795392000',
  end = '1795478399',
  rows = makeRow('192.0.2.1', '5', 'pass', 'fail'),
} = {}) =>
  `
<?xml version="1.0" encoding="UTF-8"?>
${root}
  <report_metadata>
    <org_name>google.com</org_name><email>noreply@google.com</email><report_id>42</report_id>
    <date_range><begin>${begin}</begin><end>${end}</end></date_range>
  </report_metadata>
  <policy_published><domain>ACME.example</domain><p>none</p></policy_published>
  ${rows}
${root.replace(/<([\w:]+).*/, '</$1>')}`.trim()

describe('a DMARC report', () => {
  it.each([
    ['without a namespace', '<feedback>'],
    ['with the namespace of RFC 9990', '<feedback xmlns="urn:ietf:params:xml:ns:dmarc-2.0">'],
    ['with a prefixed namespace', '<d:feedback xmlns:d="urn:ietf:params:xml:ns:dmarc-2.0">'],
  ])('is read %s', (_how, root) => {
    expect(parseDmarcReport(makeReport({ root }), now)).toEqual({
      domain: 'acme.example',
      organization: 'google.com',
      reportId: '42',
      beginsAt: new Date('2026-11-23T00:00:00Z'),
      endsAt: new Date('2026-11-23T23:59:59Z'),
      sources: [
        {
          ip: '192.0.2.1',
          messages: 5,
          passed: 5,
          dkimPassed: 5,
          spfPassed: 0,
          quarantined: 0,
          rejected: 0,
          domains: ['acme.example', 'bounces.mailer.example'],
        },
      ],
    })
  })

  it('adds up the rows of a server, even in different spellings of IPv6', () => {
    const rows = [
      makeRow('2001:DB8::1', '2', 'pass', 'pass'),
      makeRow('2001:db8::1', '3', 'fail', 'fail', 'reject'),
      makeRow('2001:db8::1', '4', 'fail', 'pass', 'quarantine'),
    ].join('')
    expect(parseDmarcReport(makeReport({ rows }), now)?.sources).toEqual([
      expect.objectContaining({
        ip: '2001:db8::1',
        messages: 9,
        passed: 6,
        dkimPassed: 2,
        spfPassed: 6,
        quarantined: 4,
        rejected: 3,
      }),
    ])
  })

  it.each([
    ['an invalid IP address', makeRow('acme', '1', 'pass', 'pass')],
    ['a negative count', makeRow('192.0.2.1', '-1', 'pass', 'pass')],
    ['a huge count', makeRow('192.0.2.1', '1e300', 'pass', 'pass')],
    ['no row', '<record/>'],
  ])('leaves out a record with %s', (_what, rows) => {
    expect(parseDmarcReport(makeReport({ rows }), now)?.sources).toEqual([])
  })

  it.each([
    ['an HTML document', '<html><body>Hello</body></html>'],
    ['plain text', 'Hello'],
    ['a report from the future', makeReport({ end: '1895478399' })],
    ['a report that ends before it begins', makeReport({ end: '1795000000' })],
    ['a report without a time', makeReport({ begin: '' })],
  ])('is not parsed from %s', (_what, xml) => {
    expect(parseDmarcReport(xml, now)).toBeUndefined()
  })

  it('does not expand entities that it declares', () => {
    const xml = `<!DOCTYPE feedback [<!ENTITY a "aaaaaaaaaa"><!ENTITY b "&a;&a;"><!ENTITY x SYSTEM "file:///etc/passwd">]>${makeReport()}`
    expect(parseDmarcReport(xml.replace('>42<', '>&b;&x;<'), now)?.reportId).not.toMatch(/aaa|root/)
  })

  it('keeps at most 2,000 servers', () => {
    const rows = Array.from({ length: 2_500 }, (_, n) =>
      makeRow(`10.0.${n >> 8}.${n & 255}`, '1', 'pass', 'pass'),
    ).join('')
    expect(parseDmarcReport(makeReport({ rows }), now)?.sources).toHaveLength(2_000)
  })
})

describe('the attachment of a report', () => {
  const xml = Buffer.from(makeReport())

  it.each([
    ['plain', xml],
    ['gzipped', gzipSync(xml)],
    ['zipped', zipSync({ 'google.com!acme.example!1!2.xml': xml })],
  ])('is unpacked when it is %s', (_how, file) => {
    expect(unpackReport(file)).toBe(xml.toString())
  })

  it.each([
    ['a gzip bomb', gzipSync(Buffer.alloc(50_000_000))],
    ['a zip bomb', zipSync({ 'a.xml': new Uint8Array(50_000_000) })],
    ['a zip file without a report', zipSync({ 'a.exe': xml })],
    ['half a zip file', zipSync({ 'a.xml': xml }).subarray(0, 60)],
    ['half a gzip file', gzipSync(xml).subarray(0, 60)],
  ])('is rejected when it is %s', (_what, file) => {
    expect(() => unpackReport(file)).toThrow()
  })

  it('is truncated at its declared size', () => {
    const bomb = Buffer.from(zipSync({ 'a.xml': new Uint8Array(50_000_000) }))
    for (let at = 0; at < bomb.length - 4; at += 1)
      if (bomb.readUInt32LE(at) === 50_000_000) bomb.writeUInt32LE(1_000, at)
    expect(unpackReport(bomb)).toHaveLength(1_000)
  })
})
