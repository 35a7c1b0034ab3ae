import type { Schedule } from '../../../contract/schedule.ts'

/** Sending hours of new campaigns: emails at night or on weekends look like spam. */
export const officeHours: Schedule['windows'][number] = {
  days: ['mon', 'tue', 'wed', 'thu', 'fri'],
  from: '09:00',
  to: '17:00',
}
