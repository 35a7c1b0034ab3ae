import {
  defaultOperators,
  type FilterImplOptions,
  type Context as LiquidContext,
  type Operators,
  toValue,
} from 'liquidjs'
import { type AppError, invalid } from '../../kernel/errors.ts'
import { Markup } from './markup.ts'
import { MissingValue } from './missing-value.ts'

/** Maximum length of a filter's input and output, and maximum number of parts of `split`. */
const maxOperandLength = 20_000
const maxParts = 100
/**
 * Characters that one rendering may read and write in filters, comparisons and output. Keeps CPU time far below 100 ms
 * and, unlike a timeout, is deterministic on a busy machine.
 */
export const maxCharacters = 400_000
/** Comparisons that cost as much as one character. At worst, a search compares the sought text at every position. */
const comparisonsPerCharacter = 16
/** The cost of formatting a date, which looks up the names and formats of a locale. */
const charactersPerDate = 500
const charactersPerFormatCharacter = 200

const searchFilters = new Set(['replace', 'replace_first', 'replace_last', 'remove', 'remove_first', 'split'])

/** Wraps a filter so that it is charged the worst-case cost of its operands. */
export function limitFilter(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler
  return function (value: unknown, ...others: unknown[]) {
    // Only `default` accepts a variable without a value.
    const [subject, ...args] =
      name === 'default' ? [value, ...others] : [value, ...others].map(resolveMissing)
    const sizes = [subject, ...args].map(checkSize)
    chargeCharacters(this.context, sum(sizes))
    if (searchFilters.has(name)) chargeSearch(this.context, sizes[0]!, sizes[1] ?? 0)
    if (name === 'date') {
      if (['now', 'today'].includes(toValue(subject))) throw clockError()
      chargeCharacters(this.context, charactersPerDate + (sizes[1] ?? 0) * charactersPerFormatCharacter)
    }
    const result =
      name === 'default' && subject instanceof Markup ? subject : handler.call(this, subject, ...args)
    checkSize(result)
    return result
  }
}

/** Returns the error for a template that reads the clock. */
export const clockError = (): AppError =>
  invalid('', 'the date filter does not accept "now" or "today", because the text may be sent on another day')

const comparisons = ['==', '!=', '<', '>', '<=', '>=', 'contains'] as const

/** Operators whose comparisons are charged the worst-case cost of their operands. */
export const limitedOperators: Operators = {
  ...defaultOperators,
  ...Object.fromEntries(
    comparisons.map(name => [
      name,
      (left: unknown, right: unknown, ctx: LiquidContext) => {
        const sizes = [getSize(left), getSize(right)] as const
        chargeCharacters(ctx, Math.min(...sizes))
        if (name === 'contains') chargeSearch(ctx, ...sizes)
        return defaultOperators[name]!(left, right, ctx)
      },
    ]),
  ),
}

/** Throws once a rendering exceeds its budget. */
export function chargeCharacters(ctx: LiquidContext, characters: number): void {
  ctx.memoryLimit.use(Math.ceil(characters))
}

const chargeSearch = (ctx: LiquidContext, length: number, soughtLength: number): void =>
  chargeCharacters(ctx, length + (length * soughtLength) / comparisonsPerCharacter)

function checkSize(operand: unknown): number {
  const size = getSize(operand)
  if (size > maxOperandLength)
    throw invalid('', `a filter can process at most ${maxOperandLength} characters`)
  if (Array.isArray(operand) && operand.length > maxParts)
    throw invalid('', `a filter can split text into at most ${maxParts} parts`)
  return size
}

function getSize(value: unknown): number {
  if (value instanceof Markup) return value.text.length
  if (Array.isArray(value)) return sum(value.map(getSize)) + value.length
  return typeof value === 'number' || typeof value === 'string' ? String(value).length : 0
}

const resolveMissing = (operand: unknown): unknown =>
  operand instanceof MissingValue ? operand.report() : operand

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)
