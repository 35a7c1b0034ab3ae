import { invalid } from '../../kernel/errors.ts'

const MIN_DISTINCT_CHARACTERS = 4
const MIN_LENGTH_WITHOUT_CONTEXT = 6
/** Minimum length of the words that `removeWords` removes. Shorter words occur in passwords by chance. */
const MIN_CONTEXT_WORD_LENGTH = 3
const PRODUCT_NAME = 'overture'

/**
 * Throws ValidationError for a common password, even with digits and symbols around it, and for one that consists of
 * the product's name and `userTexts`, such as the user's name and email address.
 */
export async function rejectWeakPassword(password: string, userTexts: readonly string[]): Promise<void> {
  const text = password.normalize('NFKC').toLowerCase()
  const core = text.replace(/^[^\p{L}]+|[^\p{L}]+$/gu, '')
  const common = await loadCommonPasswords()
  if (new Set(text).size < MIN_DISTINCT_CHARACTERS || common.has(text) || common.has(core)) {
    throw invalid('password', 'must not be a common password. Choose another, such as four unrelated words.')
  }
  if (removeWords(text, [...userTexts, PRODUCT_NAME]).length < MIN_LENGTH_WITHOUT_CONTEXT) {
    throw invalid(
      'password',
      'must not be similar to your name, your email address or “Overture”. Choose another.',
    )
  }
}

function removeWords(text: string, userTexts: string[]): string {
  const words = userTexts
    .flatMap(known =>
      known
        .normalize('NFKC')
        .toLowerCase()
        .split(/[^\p{L}\p{N}]+/u),
    )
    .filter(word => word.length >= MIN_CONTEXT_WORD_LENGTH)
    .sort((a, b) => b.length - a.length)
  return words.reduce((rest, word) => rest.replaceAll(word, ''), text).replace(/[^\p{L}\p{N}]/gu, '')
}

let commonPasswords: Promise<ReadonlySet<string>> | undefined

/** Loads 49,233 passwords from public leaks when a password is first set; most processes never need them. */
function loadCommonPasswords(): Promise<ReadonlySet<string>> {
  commonPasswords ??= import('@zxcvbn-ts/language-common').then(
    ({ dictionary }) => new Set(dictionary['passwords-common'].map(String)),
  )
  return commonPasswords
}
