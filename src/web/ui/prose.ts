/** The class of text that people wrote: line breaks are kept, and each paragraph has the direction of its own script. */
export const prose = 'max-w-[72ch] whitespace-pre-wrap break-words [unicode-bidi:plaintext]'
