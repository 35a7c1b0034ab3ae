/**
 * Positions where a spreadsheet would start a formula: the start of a cell, and after a semicolon, which starts a new
 * cell in locales with that list separator. Characters from OWASP's list, including full-width forms. Shared by server
 * and browser.
 */
export const formulaStart = /(^|;)(?=[\s\p{Cf}]{0,16}[=+\-@＝＋－＠])|^(?=[\t\r\n\0])/gu
