import { relative } from 'node:path'
import { styleText } from 'node:util'
import { accounts, demoPassword, users } from './accounts.ts'
import type { Tokens } from './tokens.ts'
import { catcherPath } from './webhook-catcher.ts'

/** A token of each user, by address; Acme; the campaign that sends, and how many it still writes to. */
export type DemoFacts = { tokens: Tokens; accountId: string; campaignId: string; peopleDue: number }

/** What a person reads who has just started the demo; its commands work as they stand. */
export function greeting(facts: DemoFacts, url: string, dataDir: string): string {
  const { tokens, accountId, campaignId, peopleDue } = facts
  const folder = shorten(dataDir)
  const curl = (email: string, path: string, ...more: string[]) =>
    ['  curl -sS', `-H 'Authorization: Bearer ${tokens[email]}'`, ...more, `'${url}/v1${path}'`].join(' ')
  const somebody = '{"data":[{"firstName":"Ada","company":"Analytical","email":"ada@analytical.example"}]}'
  return [
    bold(`Overture is ready: ${url}`),
    `Open it and sign in as ${users[0]!.email} with the password ${demoPassword}`,
    `Two made-up accounts are in it, Acme and Globex. What the API can do: ${url}/docs`,
    '',
    bold(
      peopleDue > 0
        ? `Watch a campaign send: ${peopleDue} people get an email, one every few seconds; 3 minutes later those who said nothing get another`
        : 'See what a campaign has sent',
    ),
    curl('manager@demo.example', '/inbox/email/messages?type=campaign'),
    '  Its people answer within seconds: some write back, some are away, bounce, complain or want no more',
    curl('manager@demo.example', `/campaigns/${campaignId}/stats`),
    `  A webhook tells of all of it; what it posts is verified and shown at ${url}${catcherPath}`,
    `  Nothing leaves this machine: each email becomes an .eml file below ${folder}/sandbox`,
    '',
    bold('Add somebody to that campaign; the email is there a moment later'),
    curl(
      'manager@demo.example',
      `/campaigns/${campaignId}/prospects`,
      "-H 'Content-Type: application/json'",
      `-d '${somebody}'`,
    ),
    '',
    bold('Ask as the owner, who is in both accounts and has to say which'),
    curl('owner@demo.example', '/campaigns', `-H 'x-account-id: ${accountId}'`),
    '',
    bold(`Be any of them: their password is ${demoPassword}, and each has a token`),
    ...users.map(({ email }) => `  ${email.padEnd(21)} ${rolesOf(email).padEnd(25)} ${tokens[email]}`),
    '',
    `Ctrl-C stops it. The next start goes on with the same data; to begin anew, delete ${folder}`,
  ].join('\n')
}

const bold = (text: string): string => styleText('bold', text, { stream: process.stdout })

/** As one would type it from here. */
function shorten(folder: string): string {
  const short = relative(process.cwd(), folder)
  return short && !short.startsWith('..') ? short : folder
}

const rolesOf = (email: string): string => {
  const memberships = Object.values(accounts).flatMap(({ name, members }) =>
    members.filter(([member]) => member === email).map(([, role]) => ({ name, role })),
  )
  return `${memberships[0]?.role} of ${memberships.map(({ name }) => name).join(' and ')}`
}
