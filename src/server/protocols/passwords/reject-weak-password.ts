import { invalid } from '../../kernel/errors.ts'

const MIN_DISTINCT_CHARACTERS = 4
const MIN_LENGTH_BESIDE_CONTEXT = 6
/** Shorter words occur in others by chance. */
const MIN_CONTEXT_WORD_LENGTH = 3
const PRODUCT_NAME = 'overture'

/**
 * Throws ValidationError when the password is a common one, also with digits and symbols around it, or is made of the
 * product's name and of what is known about its user: their name and email address.
 */
export async function rejectWeakPassword(password: string, about: readonly string[]): Promise<void> {
  const text = password.normalize('NFKC').toLowerCase()
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const common = await readCommonPasswords()
  if (new Set(text).size < MIN_DISTINCT_CHARACTERS || common.has(text) || common.has(core)) {
    throw invalid(
      'password',
      'is one that attackers try first. Choose another, such as four unrelated words.',
    )
  }
  if (withoutWords(text, [...about, PRODUCT_NAME]).length < MIN_LENGTH_BESIDE_CONTEXT) {
    throw invalid('password', 'is too close to your name, your email address or “Overture”. Choose another.')
  }
}

function withoutWords(text: string, about: string[]): string {
  const words = about
    .flatMap(known =>
      known
        .normalize('NFKC')
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u),
    )
    .filter(word => word.length >= MIN_CONTEXT_WORD_LENGTH)
    .sort((one, other) => other.length - one.length)
  return words.reduce((rest, word) => rest.replaceAll(word, ''), text).replace(/[^\p{L}\p{N}]/gu, '')
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined

/** 49,233 passwords from public leaks. Loaded when a password is first set: most processes never need them. */
function readCommonPasswords(): Promise<ReadonlySet<string>> {
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map(String)),
  )
  return commonPasswords
}
