import type { ReplyIntent } from '../../contract/reply-agent.ts'
import type { Tone } from '../ui/badge.tsx'

/** The badge of each intent, most important first. */
export const replyIntents: Record<ReplyIntent, [label: string, tone: Tone]> = {
  interested: ['Interested', 'green'],
  question: ['Question', 'blue'],
  objection: ['Objection', 'amber'],
  not_now: ['Not now', 'neutral'],
  wrong_person: ['Wrong person', 'neutral'],
  opt_out: ['Opt-out request', 'amber'],
  auto: ['Automatic reply', 'neutral'],
}
