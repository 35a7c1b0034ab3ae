import { relative } from 'node:path'
import { styleText } from 'node:util'
import { accounts, demoPassword, users } from './data/accounts.ts'
import type { Tokens } from './seed/tokens.ts'
import { webhookReceiverPath } from './webhook/receiver.ts'

/** The demo's tokens, the Acme account, the campaign that is sending, and how many people it still has to email. */
export type DemoInfo = { tokens: Tokens; accountId: string; campaignId: string; peopleDue: number }

/** Returns the text printed when the demo is ready; its commands can be copied as they are. */
export function formatInstructions(info: DemoInfo, url: string, dataDir: string): string {
  const { tokens, accountId, campaignId, peopleDue } = info
  const folder = shortenPath(dataDir)
  const curl = (email: string, path: string, ...more: string[]) =>
    ['  curl -sS', `-H 'Authorization: Bearer ${tokens[email]}'`, ...more, `'${url}/v1${path}'`].join(' ')
  const prospects = '{"data":[{"firstName":"Ada","company":"Analytical","email":"ada@analytical.example"}]}'
  return [
    bold(`Overture is ready: ${url}`),
    `Sign in as ${users[0]!.email} with the password ${demoPassword}.`,
    `The demo has two sample accounts, Acme and Globex. API reference: ${url}/docs`,
    '',
    bold(
      peopleDue > 0
        ? `Watch a campaign: ${peopleDue} people get an email, one every few seconds, and a follow-up after 3 minutes`
        : 'See what a campaign has sent',
    ),
    curl('manager@demo.example', '/inbox/email/messages?type=campaign'),
    '  Recipients respond within seconds: they reply, are out of office, bounce, complain or opt out',
    curl('manager@demo.example', `/campaigns/${campaignId}/stats`),
    `  A webhook sends all events to this page, which verifies their signatures: ${url}${webhookReceiverPath}`,
    `  No email is sent from this machine: each is saved as an .eml file in ${folder}/sandbox`,
    '',
    bold('Add a prospect to the campaign; the email is sent moments later'),
    curl(
      'manager@demo.example',
      `/campaigns/${campaignId}/prospects`,
      "-H 'Content-Type: application/json'",
      `-d '${prospects}'`,
    ),
    '',
    bold('Choose an account as a user who belongs to both'),
    curl('owner@demo.example', '/campaigns', `-H 'x-account-id: ${accountId}'`),
    '',
    bold(`Users and their API tokens (the password is always ${demoPassword})`),
    ...users.map(({ email }) => `  ${email.padEnd(21)} ${describeRoles(email).padEnd(25)} ${tokens[email]}`),
    '',
    `Press Ctrl-C to stop. The next start continues with the same data; to start over, delete ${folder}`,
  ].join('\n')
}

const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })

/** Returns the path relative to the working directory; the full path for other folders, or if that directory is `/`. */
function shortenPath(folder: string): string {
  if (process.cwd() === '/') return folder
  const path = relative(process.cwd(), folder)
  return path && !path.startsWith('..') ? path : folder
}

const describeRoles = (email: string): string => {
  const memberships = Object.values(accounts).flatMap(({ name, members }) =>
    members.filter(([member]) => member === email).map(([, role]) => ({ name, role })),
  )
  return `${memberships[0]?.role} of ${memberships.map(({ name }) => name).join(' and ')}`
}
