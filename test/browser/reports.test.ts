import { readFile } from 'node:fs/promises'
import { parse } from 'csv-parse/sync'
import type { Page, Request } from 'playwright-core'
import { afterAll, beforeAll, describe, expect, it } from 'vitest'
import type { Output, RawInput } from '../../src/contract/index.ts'
import { reportGroups } from '../../src/contract/reports.ts'
import {
  addSessionCookie,
  expectUsable,
  hasChromium,
  openBrowser,
  saveScreenshot,
  type TestBrowser,
} from '../support/browser/chromium.ts'
import { type ActionCount, countActions } from '../support/browser/count-actions.ts'
import { tabTo } from '../support/browser/keyboard.ts'
import { buildWeb } from '../support/browser/web-build.ts'
import { type ReportDesk, runCampaigns } from '../support/campaigns/report-desk.ts'
import { openTestServer, type TestServer } from '../support/http/server.ts'

type Numbers = Output<'getReport'>['total']

const percent = new Intl.NumberFormat('en', { style: 'percent', maximumFractionDigits: 1 })

describe.skipIf(!hasChromium())('the reports page', () => {
  let server: TestServer
  let browser: TestBrowser
  let desk: ReportDesk
  let page: Page
  let count: ActionCount
  beforeAll(async () => {
    buildWeb()
    server = await openTestServer({ ALLOW_PRIVATE_HOSTS: '127.0.0.1' })
    desk = await runCampaigns(server.app)
    browser = await openBrowser(server.url)
    page = await browser.newPage({ viewport: { width: 1440, height: 900 } })
    count = await countActions(page)
    await addSessionCookie(page, server.url, await server.createCookie(desk.owner))
  })
  afterAll(async () => {
    await browser?.[Symbol.asyncDispose]()
    await server?.[Symbol.asyncDispose]()
  })

  const report = (input: RawInput<'getReport'>) => desk.owner.call('getReport', { limit: 1000, ...input })
  const table = () => page.getByRole('table', { name: /^By / })
  const open = async (query = '', heading = 'Reports') => {
    await page.goto(`/reports${query}`)
    await page.getByRole('heading', { name: heading, exact: true }).waitFor()
    await expect.poll(() => page.getByRole('status', { name: 'Loading' }).count()).toBe(0)
  }
  /** Reads the cells of all rows of the table, including the total. */
  const readRows = (): Promise<string[][]> =>
    table()
      .locator('tbody tr')
      .evaluateAll(rows =>
        rows.map(row =>
          [...row.children]
            .filter(cell => cell.checkVisibility())
            .map(cell => (cell as HTMLElement).innerText),
        ),
      )
  const readFigure = (label: string) =>
    page
      .getByLabel('Totals')
      .locator('div')
      .filter({ has: page.getByText(label, { exact: true }) })
      .locator('dd')
      .innerText()
  const countBounced = (row: Numbers) => row.bouncedHard + row.bouncedSoft + row.blocked
  const toCells = (row: Numbers): string[] => {
    const rate = row.rates.replied === undefined ? '–' : percent.format(row.rates.replied)
    return [
      ...[row.contacted, row.sent, countBounced(row), row.replied].map(String),
      rate,
      ...[row.positive, row.optedOut, row.meetings, row.callsPlaced, row.callsAnswered].map(String),
    ]
  }

  it.each(reportGroups)('shows the same numbers as the API, grouped by %s', async groupBy => {
    const { lastWeek } = desk
    await open(`?compare=off&period=last-week&group=${groupBy}`, 'Weekly report')
    const { data, total } = await report({ ...lastWeek, groupBy })
    const rows = (await readRows()).map(([_label, ...cells]) => cells.map(cell => cell.split('\n')[0]!))
    expect(rows).toHaveLength(data.length + 1)
    const expected =
      groupBy === 'intent'
        ? (row: Numbers) => [row.replied, row.autoReplied, row.optedOut, row.meetings].map(String)
        : toCells
    expect(rows).toEqual([...data, total].map(expected))
  })

  it('applies filters and a custom period, and keeps them in the URL', async () => {
    await open('?compare=off')
    const { campaignIds, mailboxId, email, repId, lastWeek } = desk
    const expectTotal = async (input: RawInput<'getReport'>) => {
      const { total } = await report(input)
      await expect
        .poll(async () => (await readRows()).at(-1)?.slice(1))
        .toEqual(toCells(total).slice(0, total.callsPlaced > 0 ? 10 : 8))
      expect(await readFigure('Emails sent')).toBe(String(total.sent))
    }
    await page.getByLabel('From', { exact: true }).fill(lastWeek.from)
    await page.getByLabel('To', { exact: true }).fill(lastWeek.to)
    await page.waitForURL(url => url.searchParams.get('to') === lastWeek.to)
    await page.getByLabel('Add filter').selectOption({ label: 'Autumn' })
    await page.getByText('Campaign: Autumn', { exact: true }).waitFor()
    await expectTotal({ ...lastWeek, campaignId: campaignIds.Autumn })
    await page.getByRole('button', { name: 'Remove filter Campaign: Autumn' }).click()
    await page.getByLabel('Add filter').selectOption({ label: email })
    await page.getByText(`Sender: ${email}`, { exact: true }).waitFor()
    await page.reload()
    await page.getByText(`Sender: ${email}`, { exact: true }).waitFor()
    await expectTotal({ ...lastWeek, mailboxId })
    await open(`?compare=off&from=${lastWeek.from}&to=${lastWeek.to}&repId=${repId}`)
    await page.getByText('Rep: Ada Byron', { exact: true }).waitFor()
    await expectTotal({ ...lastWeek, repId })
  })

  it('keeps one end of the period while the other end is typed, and adjusts it only after the field is left', async () => {
    const waitForDays = (from: string, to: string) => page.waitForURL(`**/reports?from=${from}&to=${to}`)
    const type = async (label: string, day: string) => {
      const field = page.getByLabel(label, { exact: true })
      // Typing begins with the month.
      await field.blur()
      await field.focus()
      await page.keyboard.type(day)
    }
    await open('?from=2026-02-14&to=2026-03-15')
    await type('From', '12142025')
    await waitForDays('2025-12-14', '2026-03-15')
    await type('From', '04012026')
    await page.keyboard.press('Enter')
    await waitForDays('2026-04-01', '2026-04-01')
    await type('To', '03312026')
    await page.getByLabel('To', { exact: true }).blur()
    await waitForDays('2026-03-31', '2026-03-31')
  })

  it('compares the totals and each group with the previous period', async () => {
    const { lastWeek, weekBefore } = desk
    await open('?period=last-week', 'Weekly report')
    const [last, before] = [await report(lastWeek), await report(weekBefore)]
    const change = last.total.sent - before.total.sent
    expect(change).not.toBe(0)
    expect(await readFigure('Emails sent')).toMatch(
      new RegExp(`^${last.total.sent}\\s+\\${change > 0 ? '+' : ''}${change} from ${before.total.sent}$`),
    )
    const rows = await readRows()
    const contacted = (campaign: string) => rows.find(([label]) => label === campaign)![1]
    expect(contacted('=Winter')).toMatch(/^3\s+was 3$/)
    expect(contacted('Autumn')).toBe('20')
    expect(rows.at(-1)![1]).toMatch(new RegExp(`^${last.total.contacted}\\s+was ${before.total.contacted}$`))
    await page.getByLabel('Compare with the previous period').uncheck()
    await expect.poll(async () => (await readRows()).at(-1)![1]).toBe(String(last.total.contacted))
    expect(await readFigure('Emails sent')).toBe(String(last.total.sent))
  })

  it('offers this week first, starting on Monday', async () => {
    await open('', 'Reports')
    const period = page.getByRole('navigation', { name: 'Period' }).getByRole('link').first()
    expect(await period.innerText()).toBe('This week')
    await period.click()
    await page.waitForURL('**/reports?period=this-week')
    const from = await page.getByLabel('From', { exact: true }).inputValue()
    expect(Temporal.PlainDate.from(from).dayOfWeek).toBe(1)
  })

  it('requests reports with their comparison, and shows groups that had outcomes only in the previous period', async () => {
    const day = Temporal.PlainDate.from(desk.lastWeek.from).add({ days: 3 }).toString()
    const requests: URLSearchParams[] = []
    const record = (request: Request) => {
      const { pathname, searchParams } = new URL(request.url())
      if (pathname.endsWith('/report') && searchParams.get('from') === day) requests.push(searchParams)
    }
    page.on('request', record)
    await open(`?from=${day}&to=${day}`)
    await table().waitFor()
    page.off('request', record)
    expect(requests.map(query => [query.get('groupBy'), query.get('compare')]).toSorted()).toEqual([
      ['campaign', 'true'],
      ['day', 'true'],
    ])
    const rows = await readRows()
    expect(rows.find(([label]) => label === '=Winter')![1]).toMatch(/^0\s+was 3$/)
  })

  it('charts a number over time, and sorts the table by its headings', async () => {
    const { lastWeek } = desk
    await open('?period=last-week', 'Weekly report')
    const { total } = await report(lastWeek)
    await page.getByRole('img', { name: new RegExp(`^${total.sent} from `) }).waitFor()
    await page.getByLabel('Chart').selectOption({ label: 'Replies' })
    await page.getByRole('img', { name: new RegExp(`^${total.replied} from `) }).waitFor()
    await page.waitForURL(/chart=replied/)
    await open('?period=this-month&compare=off')
    const column = async () => (await readRows()).slice(0, -1).map(([, contacted]) => Number(contacted))
    const descending = (await column()).toSorted((a, b) => b - a)
    await table().getByRole('button', { name: 'Contacted' }).click()
    await expect.poll(column).toEqual(descending)
    await table().getByRole('button', { name: 'Contacted' }).press('Enter')
    await expect.poll(column).toEqual(descending.toReversed())
    await page.waitForURL(/sort=contacted&order=asc/)
  })

  it('says which variant works better when the result is certain, and otherwise says that it is too early', async () => {
    await open('?period=this-month&group=variant')
    const verdicts = page
      .getByRole('heading', { name: 'Variants compared' })
      .locator('xpath=ancestor::section[1]')
    const spring = verdicts.getByRole('listitem').filter({ hasText: 'Spring' })
    await spring.getByText('Clear winner', { exact: true }).waitFor()
    expect(await spring.innerText()).toContain(`Spring, step 1: variant ${desk.bestLetter} works better.`)
    const row = (await readRows()).find(([label]) => label === `Spring, step 1, variant ${desk.bestLetter}`)!
    const { data } = await report({ ...desk.thisMonth, groupBy: 'variant' })
    const { replyInterval, rates } = data.find(({ key }) => key === desk.bestVariantId)!
    expect(row[5]).toContain(percent.format(rates.replied!))
    expect(row[5]).toContain(`${percent.format(replyInterval!.low)}–${percent.format(replyInterval!.high)}`)
    await open('?period=last-week&group=variant', 'Weekly report')
    await verdicts.getByText('Too early').waitFor()
  })

  async function expectCsv(act: () => Promise<void>): Promise<void> {
    const [download] = await Promise.all([page.waitForEvent('download'), act()])
    const csv = await readFile(await download.path(), 'utf8')
    const rows: Record<string, string>[] = parse(csv, { columns: true, bom: true })
    const { data, total } = await report({ ...desk.thisMonth, groupBy: 'variant' })
    expect(rows.map(({ Variant }) => Variant)).toEqual(
      (await readRows()).map(([label]) => escapeFormula(label!)),
    )
    expect(rows.map(row => [row.Contacted, row.Sent, row.Replied, row['Reply rate']])).toEqual(
      [...data, total].map(({ contacted, sent, replied, rates }) =>
        [contacted, sent, replied, rates.replied ?? ''].map(String),
      ),
    )
    expect(rows.map(row => row['Reply rate, lower bound (95%)'])).toEqual([
      ...data.map(({ replyInterval }) => String(replyInterval?.low ?? '')),
      '',
    ])
  }
  /** Escapes a label as the CSV file does, so that a campaign’s name does not become a formula. */
  const escapeFormula = (label: string) => (label.startsWith('=') ? `'${label}` : label)

  it('exports this month’s results by variant as CSV in 4 clicks', async () => {
    await page.goto('/')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    Object.assign(count, { clicks: 0, keys: 0 })
    await page.getByRole('link', { name: 'Reports', exact: true }).click()
    await page.getByRole('link', { name: 'This month' }).click()
    await page.getByRole('link', { name: 'Variant', exact: true }).click()
    await page.getByRole('table', { name: 'By variant' }).waitFor()
    await expectCsv(() => page.getByRole('button', { name: 'Export CSV' }).click())
    expect(count).toEqual({ clicks: 4, keys: 0 })
  })

  it('exports this month’s results by variant as CSV by keyboard', async () => {
    await page.goto('/')
    await page.getByRole('heading', { name: 'Home' }).waitFor()
    Object.assign(count, { clicks: 0, keys: 0 })
    await page.keyboard.press('g')
    await page.keyboard.press('r')
    await page.getByRole('heading', { name: 'Reports' }).waitFor()
    await tabTo(page, page.getByRole('link', { name: 'This month' }))
    await page.keyboard.press('Enter')
    await page.waitForURL(/period=this-month/)
    await tabTo(page, page.getByRole('link', { name: 'Variant', exact: true }))
    await page.keyboard.press('Enter')
    await page.getByRole('table', { name: 'By variant' }).waitFor()
    await tabTo(page, page.getByRole('button', { name: 'Export CSV' }))
    await expectCsv(() => page.keyboard.press('Enter'))
    expect(count.clicks).toBe(0)
  })

  it('prints the weekly report in landscape, without navigation or controls', async () => {
    await page.goto('/settings/profile')
    await page.getByRole('heading', { name: 'Profile' }).waitFor()
    await page.keyboard.press('Control+k')
    await page.getByRole('dialog').getByRole('combobox').fill('weekly report')
    await page.keyboard.press('Enter')
    await page.getByRole('heading', { name: 'Weekly report' }).waitFor()
    await page.getByRole('table', { name: 'By campaign' }).waitFor()
    await page.evaluate(() => {
      window.print = () => document.body.setAttribute('data-printed', '')
    })
    await page.getByRole('button', { name: 'Print' }).click()
    await page.locator('body[data-printed]').waitFor()
    const { name } = await desk.owner.call('getAccount', {})
    const lastDay = desk.lastWeek.to.slice(-2).replace(/^0/, '')
    await page.emulateMedia({ media: 'print', colorScheme: 'dark' })
    const { text, controls, color } = await page.evaluate(() => ({
      text: document.body.innerText,
      controls: [...document.querySelectorAll('nav, button, select, input')].filter(
        each => each.checkVisibility() && !each.closest('table'),
      ).length,
      color: getComputedStyle(document.querySelector('h1')!).color,
    }))
    expect(controls).toBe(0)
    expect(text).toContain(`${name}, `)
    expect(text).toMatch(new RegExp(`\\b${lastDay} \\w+ 20\\d\\d, compared with`))
    // Dark text on white paper, even in the dark theme.
    expect(color).toBe('rgb(37, 34, 30)')
    await saveScreenshot(page, 'reports-print')
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    const boxes = [...pdf.matchAll(/\/MediaBox \[0 0 ([\d.]+) ([\d.]+)\]/g)]
    expect(boxes).toHaveLength(1)
    expect(Number(boxes[0]![1])).toBeGreaterThan(Number(boxes[0]![2]))
    await page.emulateMedia({ media: 'screen' })
  })

  it('prints a long table with all its rows, over several pages', async () => {
    await page.emulateMedia({ media: 'screen' })
    const to = desk.thisMonth.to
    const from = Temporal.PlainDate.from(to).subtract({ days: 299 }).toString()
    await open(`?from=${from}&to=${to}&group=day`)
    const rows = table().locator('tbody tr[data-index]')
    expect(await rows.count()).toBeLessThan(301)
    await page.emulateMedia({ media: 'print' })
    await expect.poll(() => rows.count()).toBe(301)
    const pdf = (await page.pdf({ preferCSSPageSize: true })).toString('latin1')
    expect([...pdf.matchAll(/\/MediaBox/g)].length).toBeGreaterThan(5)
    await page.emulateMedia({ media: 'screen' })
  })

  it('is accessible and fits every width with all its numbers', async () => {
    await open('?period=this-month&group=variant')
    await page.getByText('How the numbers are counted').click()
    await expectUsable(page, 'reports-variants', [360, 768, 1024, 1440, 1920])
    await page.setViewportSize({ width: 360, height: 900 })
    expect((await readRows()).at(-1)!.slice(1, 3).join()).toMatch(
      /^\d+ contacted was \d+,–? ?[\d.%]+ reply rate/,
    )
    await page.setViewportSize({ width: 1440, height: 900 })
    await open('?period=last-week', 'Weekly report')
    await expectUsable(page, 'reports-week', [360, 768, 1024, 1440, 1920])
    await page.setViewportSize({ width: 1440, height: 900 })
  })

  it('shows an empty state or an error, with a link to continue', async () => {
    await open('?from=2020-01-01&to=2020-01-31')
    await page.getByText('No messages in this period').waitFor()
    await page.getByRole('link', { name: 'Show the last 90 days' }).click()
    await table().waitFor()
    await open('?from=2020-01-01&to=2020-01-31&repId='.concat(desk.repId))
    await page.getByRole('link', { name: 'Clear filters' }).click()
    await page.waitForURL(url => !url.searchParams.has('repId'))
    await open('?from=2020-01-01&to=2026-01-31')
    await page.getByRole('alert').getByText('must be at most 366 days').waitFor()
  })

  it('makes no requests to other hosts, violates no policy and throws no errors', () => {
    expect(browser.errors).toEqual([])
  })
})
