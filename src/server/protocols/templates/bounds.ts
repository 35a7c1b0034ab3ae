import {
  defaultOperators,
  type FilterImplOptions,
  type Context as LiquidContext,
  type Operators,
} from 'liquidjs'
import { invalid } from '../../kernel/errors.ts'
import { MissingValue } from './missing-value.ts'

/** Longest text that a filter takes or yields, and most parts that it splits one into. */
const maxOperandLength = 20_000
const maxParts = 100
/**
 * Characters that one rendering may read and write in filters, comparisons and output. It holds CPU time far below
 * 100 ms, and unlike a clock it gives the same answer on a busy machine.
 */
export const maxCharacters = 400_000
/** Engines compare a text with each beginning of another in the worst case: length times length. */
const comparisonsPerCharacter = 16
/** Each conversion of a date asks for names and forms of a locale. */
const charactersPerDate = 500
const charactersPerFormatCharacter = 200

const searching = new Set(['replace', 'replace_first', 'replace_last', 'remove', 'remove_first', 'split'])

/** The filter, charged by the worst that its operands can cost. */
export function limitFilter(name: string, filter: FilterImplOptions): FilterImplOptions {
  const handler = typeof filter === 'function' ? filter : filter.handler
  return function (value: unknown, ...others: unknown[]) {
    // `default` alone takes a variable without a value.
    const [subject, ...args] = name === 'default' ? [value, ...others] : [value, ...others].map(textOf)
    const sizes = [subject, ...args].map(boundedSize)
    chargeCharacters(this.context, sum(sizes))
    if (searching.has(name)) chargeSearch(this.context, sizes[0]!, sizes[1] ?? 0)
    if (name === 'date')
      chargeCharacters(this.context, charactersPerDate + (sizes[1] ?? 0) * charactersPerFormatCharacter)
    const result = handler.call(this, subject, ...args)
    boundedSize(result)
    return result
  }
}

const comparisons = ['==', '!=', '<', '>', '<=', '>=', 'contains'] as const

/** The operators, with comparisons charged by the worst that their operands can cost. */
export const limitedOperators: Operators = {
  ...defaultOperators,
  ...Object.fromEntries(
    comparisons.map(name => [
      name,
      (left: unknown, right: unknown, ctx: LiquidContext) => {
        const sizes = [sizeOf(left), sizeOf(right)] as const
        chargeCharacters(ctx, Math.min(...sizes))
        if (name === 'contains') chargeSearch(ctx, ...sizes)
        return defaultOperators[name]!(left, right, ctx)
      },
    ]),
  ),
}

/** Throws once a rendering exceeds its share. */
export function chargeCharacters(ctx: LiquidContext, characters: number): void {
  ctx.memoryLimit.use(Math.ceil(characters))
}

const chargeSearch = (ctx: LiquidContext, length: number, soughtLength: number): void =>
  chargeCharacters(ctx, length + (length * soughtLength) / comparisonsPerCharacter)

function boundedSize(operand: unknown): number {
  const size = sizeOf(operand)
  if (size > maxOperandLength) throw invalid('', `a filter works on at most ${maxOperandLength} characters`)
  if (Array.isArray(operand) && operand.length > maxParts)
    throw invalid('', `a filter splits a text into at most ${maxParts} parts`)
  return size
}

function sizeOf(value: unknown): number {
  if (Array.isArray(value)) return sum(value.map(sizeOf)) + value.length
  return typeof value === 'number' || typeof value === 'string' ? String(value).length : 0
}

const textOf = (operand: unknown): unknown => (operand instanceof MissingValue ? operand.report() : operand)

const sum = (sizes: readonly number[]): number => sizes.reduce((total, size) => total + size, 0)
