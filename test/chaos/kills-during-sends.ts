import type { TestApp } from '../support/app.ts'
import { makeMailCampaign } from '../support/mail/mail-campaign.ts'
import { getOAuthSettings } from '../support/mail/oauth-mail.ts'
import type { OAuthServer } from '../support/mail/oauth-server.ts'
import type { Reaction, Step } from '../support/mail/scripted-smtp.ts'
import { type ArmedFailure, EngineProcesses } from './engine-processes.ts'
import { Journal } from './journal.ts'
import { openJournaledSmtp } from './journaled-smtp.ts'
import { sendFailpoints } from './send-failpoints.ts'
import { sumTallies, type Tally, tallyDeliveries } from './tally-deliveries.ts'
import { waitUntilIdle } from './wait-until-idle.ts'

const commands = ['EHLO', 'MAIL', 'RCPT', 'DATA', 'BODY', 'DOT'] as const satisfies Step[]
const faults = ['451 4.3.0 not now', '554 5.6.0 no', 'reset', 'cut'] as const satisfies Reaction[]
/** Each group has one server, which fails at this command with this fault, at `FAULT_RATE`. */
const groups = commands.flatMap(command => faults.map(fault => ({ command, fault })))

const FAULT_RATE = 0.3

export type SendKillFigures = Tally & { combinations: number; deaths: number; thrown: number }

/**
 * Combines every failpoint with every SMTP fault at every command. While engines send through 24 servers that each fail
 * in their own way, a failure is armed at each failpoint for the email of each server. A killed engine is replaced.
 * Adds new people at the servers whose failures are still armed, until every failure has happened.
 */
export async function killDuringSends(
  app: TestApp,
  {
    engines,
    emailsPerServer,
    oneDeathIn,
    oneCombinationIn = 1,
    random,
    oauth,
  }: {
    engines: number
    emailsPerServer: number
    oneDeathIn: number
    /** Tests only one combination in this many, to save time. */
    oneCombinationIn?: number
    random: () => number
    oauth?: OAuthServer
  },
): Promise<SendKillFigures> {
  using journal = new Journal()
  await using opened = new AsyncDisposableStack()
  let areServersHealthy = true
  const peers = await Promise.all(
    groups.map(({ command, fault }) =>
      openJournaledSmtp(
        journal,
        step =>
          step === command && !areServersHealthy && random() < FAULT_RATE
            ? // A server that disconnects at the final dot may have accepted the email.
              { reaction: fault, isAccepted: (fault === 'reset' || fault === 'cut') && random() < 0.5 }
            : undefined,
        oauth,
      ),
    ),
  )
  for (const peer of peers) opened.use(peer)
  const combinations = sendFailpoints.flatMap((name, index) =>
    groups.map(
      (_, group): ArmedFailure => ({
        name,
        group: String(group),
        // A death requires a new process, unlike a throw, so only one failure in `oneDeathIn` is a death.
        failure: { do: (index + group) % oneDeathIn === 0 ? 'exit' : 'throw' },
      }),
    ),
  )
  // `lost_send.claimed` is reached only after an engine dies past the gate, which is certain only with all
  // combinations.
  const armed =
    oneCombinationIn === 1
      ? combinations
      : combinations.filter(({ name }, n) => n % oneCombinationIn === 0 && name !== 'lost_send.claimed')
  const settings = oauth && getOAuthSettings(oauth)
  const processes = opened.use(await EngineProcesses.open(app, engines, { arm: armed }, settings))
  const tallies: Tally[] = []
  while (processes.armed.length > 0) {
    const left = new Set(processes.armed.map(({ group }) => group))
    areServersHealthy = true
    const campaigns = await Promise.all(
      [...left].map(async group => {
        const peer = peers[Number(group)]!
        return {
          group,
          peer,
          ...(await makeMailCampaign(app, [{ port: peer.port, oauth }], emailsPerServer)),
        }
      }),
    )
    oauth?.expireAccessTokens()
    areServersHealthy = false
    for (const { group, peer, mailboxIds, prospects } of campaigns) {
      const keys = [...mailboxIds, `127.0.0.1:${peer.port}`, ...(await prospects()).map(({ id }) => id)]
      processes.instruct({ groups: Object.fromEntries(keys.map(key => [key, group])) })
    }
    for (const { owner } of campaigns) await waitUntilIdle(app, [owner.accountId], processes.clock)
    for (const { owner } of campaigns)
      tallies.push(await tallyDeliveries(app.owner, journal, owner.accountId))
  }
  return {
    ...sumTallies(tallies),
    combinations: armed.length,
    deaths: processes.deaths,
    thrown: processes.fired.length - processes.deaths,
  }
}
