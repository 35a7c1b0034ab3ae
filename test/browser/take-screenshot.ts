import { join } from 'node:path'
import { openBrowser, signIn } from '../support/browser/chromium.ts'
import { makeScratch } from '../support/db/postgres-processes.ts'
import { openDemoProcess } from '../support/processes/demo.ts'

/** A demo rep whose prospects’ names use only letters that every machine has fonts for. */
const REP = 'Mia Lindqvist'
const picture = join(import.meta.dirname, '../../docs/app.png')

// Takes the screenshot in README.md: a conversation in the inbox of a new demo.
await using scratch = await makeScratch()
const demo = await openDemoProcess(join(scratch.dir, 'data'))
try {
  const { data: reps } = await demo.call('manager', 'listReps', {})
  const repId = reps.find(({ name }) => name === REP)!.id
  const { data: conversations } = await demo.call('manager', 'listConversations', { repId, channel: 'email' })
  await using browser = await openBrowser(demo.url)
  const page = await browser.newPage({
    ...{ viewport: { width: 1440, height: 900 }, deviceScaleFactor: 1.5 },
    ...{ colorScheme: 'light' as const, reducedMotion: 'reduce' as const },
  })
  await page.goto('/sign-in')
  await signIn(page, { email: 'manager@demo.example', password: 'overture-demo' })
  await page.getByRole('heading', { name: 'Home' }).waitFor()
  await page.goto(`/inbox/${conversations[0]!.id}?view=all&channel=email&repId=${repId}`)
  await page.locator('[data-opened]').waitFor()
  await page.getByRole('status', { name: 'Loading' }).last().waitFor({ state: 'detached' })
  await page.screenshot({ path: picture, animations: 'disabled' })
  console.log(`Saved ${picture}.`)
} finally {
  await demo.stop()
}
