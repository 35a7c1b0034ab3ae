import type { Output } from '../../../contract/index.ts'
import { formatNumber } from '../../ui/time.tsx'

type Delay = Pick<Output<'forecastCampaign'>['bottleneck'], 'emails' | 'averageWaitHours'>

/** Formats how many emails a limit delays, and by how much. */
export const formatDelayedEmails = ({ emails, averageWaitHours }: Delay): string =>
  emails === 1
    ? `1 email is delayed by ${formatWait(averageWaitHours)}.`
    : `${formatNumber(emails)} emails are delayed, ${formatWait(averageWaitHours)} on average.`

const formatWait = (hours: number): string =>
  hours >= 48 ? `${formatNumber(Math.round(hours / 24))} days` : `${formatNumber(Math.ceil(hours))} h`
