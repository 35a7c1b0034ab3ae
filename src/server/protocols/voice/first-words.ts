/** How an account may word that no person speaks; a text without such words doesn't count as a disclosure. */
const saysAi =
  /(?<![\p{L}\d])(?:a\.?i|artificial intelligence|ki|künstliche[rns]? intelligenz|i\.?a|intelligence artificielle|inteligencia artificial|inteligência artificial|intelligenza artificiale|kunstmatige intelligentie|sztuczn(?:a|ej|ą) inteligencj(?:a|i|ą))(?![\p{L}\d])/iu
const denies =
  /(?<![\p{L}\d])(?:not?|never|isn't|ain't|kein\w*|nicht|pas|não|non|geen|nie|n't)(?![\p{L}\d])/iu

/** Whether somebody who hears this text knows that an AI speaks; one that denies anything doesn't count. */
export const disclosesAi = (text: string): boolean =>
  saysAi.test(text) && !denies.test(text.replace(/’/g, "'"))

/**
 * What an assistant says first, whatever provider places the call. Whoever is called must hear at once that no person
 * is speaking (EU AI Act, article 50(1) and (5)); the account may word it, and can't leave it out.
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
  const said =
    disclosure && disclosesAi(disclosure) ? disclosure : `This is ${assistantName}, an AI assistant.`
  return [said, firstMessage].filter(Boolean).join(' ')
}
