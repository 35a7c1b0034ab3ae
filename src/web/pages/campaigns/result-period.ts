/** Lengths of the results period in days, including today. */
export const periods = [7, 30, 90, 365] as const
export type Period = (typeof periods)[number]

export const DEFAULT_PERIOD: Period = 30

export const periodLabels: Record<Period, string> = {
  7: 'Last 7 days',
  30: 'Last 30 days',
  90: 'Last 90 days',
  365: 'Last 365 days',
}

/** Reports whether a value from the URL is a period. */
export const isPeriod = (value: unknown): value is Period => periods.includes(Number(value) as Period)
