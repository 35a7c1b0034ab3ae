/** Terms that disclose an AI, in several languages. */
const aiTerms =
  /(?<![\p{L}\d])(?:a\.?i|artificial intelligence|ki|künstliche[rns]? intelligenz|i\.?a|intelligence artificielle|inteligencia artificial|inteligência artificial|intelligenza artificiale|kunstmatige intelligentie|sztuczn(?:a|ej|ą) inteligencj(?:a|i|ą))(?![\p{L}\d])/iu
const negations =
  /(?<![\p{L}\d])(?:not?|never|isn't|ain't|kein\w*|nicht|pas|não|non|geen|nie|n't)(?![\p{L}\d])/iu

/** Returns true when the text discloses that an AI is speaking; false for text with a negation. */
export const disclosesAi = (text: string): boolean =>
  aiTerms.test(text) && !negations.test(text.replace(/’/g, "'"))

/**
 * Composes the first message of a call, for any provider. The opening must disclose that the caller is an AI (EU AI
 * Act, article 50(1) and (5)); the account can reword the disclosure but not omit it.
 */
export function composeFirstMessage({
  assistantName,
  disclosure,
  firstMessage,
}: {
  assistantName: string
  disclosure?: string | undefined
  firstMessage?: string | undefined
}): string {
  const notice =
    disclosure && disclosesAi(disclosure) ? disclosure : `This is ${assistantName}, an AI assistant.`
  return [notice, firstMessage].filter(Boolean).join(' ')
}
