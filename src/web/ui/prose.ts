/** The class of text that people wrote. Keeps line breaks and gives each paragraph the direction of its script. */
export const prose = 'max-w-[72ch] whitespace-pre-wrap break-words [unicode-bidi:plaintext]'
