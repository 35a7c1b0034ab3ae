import { formatNumber } from '../../ui/time.tsx'
import type { Channel, StoredStep, Unit } from './step-drafts.ts'

export const channelLabels: Record<Channel, string> = {
  email: 'Email',
  linkedin_view: 'LinkedIn profile visit',
  linkedin_connect: 'LinkedIn invitation',
  linkedin_message: 'LinkedIn message',
  linkedin_like: 'LinkedIn post like',
  call: 'Call',
  task: 'Task',
}

export const letters = 'ABCDEFGHIJKLMNOPQRSTUVWXYZ'

export const units: Record<Unit, string> = {
  minutes: 'minute',
  hours: 'hour',
  days: 'day',
  business_days: 'business day',
}

export const formatDelay = ({ amount, unit }: StoredStep['delay']): string =>
  `${formatNumber(amount)} ${units[unit]}${amount === 1 ? '' : 's'}`

/** Formats when a step happens, as in `3 days later`. */
export function formatTiming(position: number, delay: StoredStep['delay']): string {
  if (delay.amount === 0) return position === 1 ? 'immediately' : 'immediately after the previous step'
  return position === 1 ? `${formatDelay(delay)} after joining` : `${formatDelay(delay)} later`
}

export const getFirstLine = (text: string): string => text.split('\n').find(line => line.trim()) ?? ''
