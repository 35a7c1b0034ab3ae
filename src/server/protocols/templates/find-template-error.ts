import { AppError } from '../../kernel/errors.ts'
import { expandSpintax, splitSpintax } from './spintax.ts'
import { findUnknownVariables, parseTemplate } from './template.ts'

/** Describes the error in a template that may use these variables; returns undefined if the template is valid. */
export function findTemplateError(template: string, variables: readonly string[]): string | undefined {
  try {
    const unknown = findUnknownVariables(expandSpintax(template), variables)
    for (const part of splitSpintax(template)) parseTemplate(part)
    if (unknown.length === 0) return undefined
    const suggestions = unknown.flatMap(name => suggestVariable(name, variables) ?? [])
    const question = suggestions.length > 0 ? `; did you mean {{ ${suggestions.join(' }}, {{ ')} }}?` : ';'
    return `unknown variable ${unknown.join(', ')}${question} allowed variables: ${variables.join(', ')}`
  } catch (error) {
    if (!(error instanceof AppError && error.code === 'ValidationError')) throw error
    return error.message
  }
}

/** Returns the variable that differs from a name only in case, spaces and punctuation, such as first_name. */
function suggestVariable(name: string, variables: readonly string[]): string | undefined {
  const simplify = (text: string) => text.toLowerCase().replace(/[^\p{L}\p{N}]/gu, '')
  return variables.find(variable => simplify(variable) === simplify(name))
}
