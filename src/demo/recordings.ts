import type { FastifyInstance } from 'fastify'
import { type App, inAccount } from '../server/kernel/context.ts'
import { recordingPath, secondsOf, timed } from './call-rows.ts'
import { acmeCalls } from './calls.ts'
import { accountIdOf, openTeller } from './teller.ts'
import { ownOrigin } from './webhook-catcher.ts'

const RATE = 8_000
const SYLLABLE_SECONDS = 0.17

type Line = { role: string; text: string; at: number }

/** What the product's own route streams from: the recordings of the demo's calls, made when they are asked for. */
export async function mountRecordings(server: FastifyInstance): Promise<void> {
  const { id } = openTeller('acme', new Date(0))
  const recorded = new Map(
    acmeCalls.flatMap((call, index) =>
      call.isRecorded && call.transcript ? [[id('call', String(index)), call] as const] : [],
    ),
  )
  server.get<{ Params: { callId: string } }>(
    recordingPath(':callId').replace('.wav', ''),
    async (request, reply) => {
      const call = recorded.get(request.params.callId.replace(/\.wav$/, ''))
      if (!call) return reply.callNotFound()
      const sound = composeSound(timed(call.transcript!), secondsOf(call)!)
      const from = Number(/^bytes=(\d+)-/.exec(request.headers.range ?? '')?.[1] ?? 0)
      const part = sound.subarray(from)
      return reply
        .code(request.headers.range ? 206 : 200)
        .headers({
          ...{ 'content-type': 'audio/wav', 'accept-ranges': 'bytes', 'content-length': part.length },
          ...(request.headers.range && {
            'content-range': `bytes ${from}-${sound.length - 1}/${sound.length}`,
          }),
        })
        .send(part)
    },
  )
}

/** The server may listen elsewhere than before. */
export const connectRecordings = (app: App): Promise<unknown> =>
  inAccount(
    app.db.app,
    accountIdOf('acme'),
    tx => tx`
      update calls
         set recording_url = ${ownOrigin(app.config)} || regexp_replace(recording_url, '^https?://[^/]*', '')
       where account_id = current_account_id() and recording_url is not null`,
  )

/** Two voices that hum the lines of a conversation at the pace of speech: 8-bit PCM in a RIFF file. */
export function composeSound(lines: readonly Line[], seconds: number): Buffer {
  const samples = Buffer.alloc(RATE * seconds, 128)
  for (const { role, text, at } of lines) {
    const syllables = Math.floor(text.length / 14 / SYLLABLE_SECONDS)
    for (let nth = 0; nth < syllables; nth++) {
      const pitch = (role === 'assistant' ? 210 : 130) * (1 + 0.18 * Math.sin(nth * 1.7 + text.length))
      hum(samples, at + nth * SYLLABLE_SECONDS, pitch)
    }
  }
  const head = Buffer.alloc(44)
  head.write('RIFF', 0)
  head.writeUInt32LE(36 + samples.length, 4)
  head.write('WAVEfmt ', 8)
  head.writeUInt32LE(16, 16)
  head.writeUInt16LE(1, 20)
  head.writeUInt16LE(1, 22)
  head.writeUInt32LE(RATE, 24)
  head.writeUInt32LE(RATE, 28)
  head.writeUInt16LE(1, 32)
  head.writeUInt16LE(8, 34)
  head.write('data', 36)
  head.writeUInt32LE(samples.length, 40)
  return Buffer.concat([head, samples])
}

/** One syllable: a tone with two overtones that swells and fades. */
function hum(samples: Buffer, at: number, pitch: number): void {
  const start = Math.round(at * RATE)
  const length = Math.round(SYLLABLE_SECONDS * 0.8 * RATE)
  for (let n = 0; n < length && start + n < samples.length; n++) {
    const turn = (2 * Math.PI * pitch * n) / RATE
    const tone = Math.sin(turn) + Math.sin(2 * turn) / 2 + Math.sin(3 * turn) / 4
    samples[start + n] = 128 + Math.round(40 * Math.sin((Math.PI * n) / length) * tone)
  }
}
