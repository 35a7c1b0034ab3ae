import type { FastifyInstance } from 'fastify'
import { type App, inAccount } from '../server/kernel/context.ts'
import { acmeCalls } from './data/calls.ts'
import { getDurationSeconds, getRecordingPath, toTranscript } from './seed/call-rows.ts'
import { createSeedContext, getAccountId } from './seed/seed-context.ts'
import { getOwnOrigin } from './webhook/receiver.ts'

const SAMPLES_PER_SECOND = 8_000
const SYLLABLE_SECONDS = 0.17

type Line = { role: string; text: string; at: number }

/** Serves the recordings of the demo's calls, synthesized on request; the product's own route streams from here. */
export async function mountDemoRecordings(server: FastifyInstance): Promise<void> {
  const { id } = createSeedContext('acme', new Date(0))
  const recorded = new Map(
    acmeCalls.flatMap((call, index) =>
      call.isRecorded && call.transcript ? [[id('call', String(index)), call] as const] : [],
    ),
  )
  server.get<{ Params: { callId: string } }>(
    getRecordingPath(':callId').replace('.wav', ''),
    async (request, reply) => {
      const call = recorded.get(request.params.callId.replace(/\.wav$/, ''))
      if (!call) return reply.callNotFound()
      const sound = composeSound(toTranscript(call.transcript!), getDurationSeconds(call)!)
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

/** Updates the recordings' URLs, because the server's address may have changed. */
export const connectRecordings = (app: App): Promise<unknown> =>
  inAccount(
    app.db.app,
    getAccountId('acme'),
    tx => tx`
      update calls
         set recording_url = ${getOwnOrigin(app.config)} || regexp_replace(recording_url, '^https?://[^/]*', '')
       where account_id = current_account_id() and recording_url is not null`,
  )

/** Synthesizes two humming voices at the pace of speech, as a WAV file with 8-bit PCM. */
export function composeSound(lines: readonly Line[], seconds: number): Buffer {
  const samples = Buffer.alloc(SAMPLES_PER_SECOND * seconds, 128)
  for (const { role, text, at } of lines) {
    const syllables = Math.floor(text.length / 14 / SYLLABLE_SECONDS)
    for (let n = 0; n < syllables; n++) {
      const pitch = (role === 'assistant' ? 210 : 130) * (1 + 0.18 * Math.sin(n * 1.7 + text.length))
      addSyllable(samples, at + n * SYLLABLE_SECONDS, pitch)
    }
  }
  const header = Buffer.alloc(44)
  header.write('RIFF', 0)
  header.writeUInt32LE(36 + samples.length, 4)
  header.write('WAVEfmt ', 8)
  header.writeUInt32LE(16, 16)
  header.writeUInt16LE(1, 20)
  header.writeUInt16LE(1, 22)
  header.writeUInt32LE(SAMPLES_PER_SECOND, 24)
  header.writeUInt32LE(SAMPLES_PER_SECOND, 28)
  header.writeUInt16LE(1, 32)
  header.writeUInt16LE(8, 34)
  header.write('data', 36)
  header.writeUInt32LE(samples.length, 40)
  return Buffer.concat([header, samples])
}

/** Adds one syllable: a tone with two overtones that swells and fades. */
function addSyllable(samples: Buffer, at: number, pitch: number): void {
  const start = Math.round(at * SAMPLES_PER_SECOND)
  const length = Math.round(SYLLABLE_SECONDS * 0.8 * SAMPLES_PER_SECOND)
  for (let n = 0; n < length && start + n < samples.length; n++) {
    const phase = (2 * Math.PI * pitch * n) / SAMPLES_PER_SECOND
    const tone = Math.sin(phase) + Math.sin(2 * phase) / 2 + Math.sin(3 * phase) / 4
    samples[start + n] = 128 + Math.round(40 * Math.sin((Math.PI * n) / length) * tone)
  }
}
