import { capitalize } from '../ui/sentence.ts'

/**
 * Formats a status, a kind or the reason of a provider: `out_of_office` becomes “Out of office”, and
 * `customer-ended-call` “Customer ended call”. Text that a person wrote stays unchanged.
 */
export const formatCode = (code: string): string =>
  /^[a-z]+([_-][a-z]+)*$/.test(code)
    ? capitalize(code).replaceAll(/[_-]/g, ' ').replace('Linkedin', 'LinkedIn')
    : code
