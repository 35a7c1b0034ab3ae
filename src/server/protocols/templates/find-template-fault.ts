import { AppError } from '../../kernel/errors.ts'
import { expandSpintax, splitSpintax } from './spintax.ts'
import { findUnknownVariables, parseTemplate } from './template.ts'

/** Returns what is wrong with a template that may use these variables; undefined if it is valid. */
export function findTemplateFault(template: string, variables: readonly string[]): string | undefined {
  try {
    const unknown = findUnknownVariables(expandSpintax(template), variables)
    for (const words of splitSpintax(template)) parseTemplate(words)
    return unknown.length > 0
      ? `unknown variable ${unknown.join(', ')}; allowed variables: ${variables.join(', ')}`
      : undefined
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'ValidationError')) throw error
    return error.message
  }
}
