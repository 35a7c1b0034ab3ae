import { invalid } from '../../kernel/errors.ts'

/**
 * `{Hi|Hello}`: a choice between alternatives, which may contain further choices. `from` and `to` are positions in the
 * text.
 */
type Choice = { nth: number; alternatives: Alternative[] }
type Alternative = { from: number; to: number; choices: Choice[] }

const maxDepth = 10
const maxMarks = 1_000

/**
 * Matches one token. Liquid with its quoted strings, HTML style sheets and comments never contain choices. Unclosed
 * Liquid extends to the end of the text; Liquid itself reports the error. `{{{` and `{{%` begin a choice that begins
 * with Liquid.
 */
const tokens = new RegExp(
  [
    /\{%-?\s*(raw|comment)\b[\s\S]*?(?:\{%-?\s*end\1\s*-?%\}|$)/,
    /\{%[\s\S]*?(?:%\}|$)/,
    /\{\{(?![{%])(?:[^"'}]|\}(?!\})|"[^"]*(?:"|$)|'[^']*(?:'|$))*(?:\}\}|$)/,
    /<!--[\s\S]*?(?:-->|$)/,
    /<style\b[\s\S]*?(?:<\/style\b|$)/,
    /[{|}]/,
    /(?:[^{|}<]|<(?!!--|style\b))+/,
  ]
    .map(({ source }) => source)
    .join('|'),
  'gi',
)

/**
 * Resolves each choice to an alternative. `random` returns a number in [0, 1) for the nth choice; the result is
 * deterministic if `random` is. Braces without a `|` are literal.
 */
export function resolveSpintax(text: string, random: (nth: number) => number): string {
  const render = (alternative: Alternative): string =>
    replaceChoices(text, alternative, ({ nth, alternatives }) =>
      render(alternatives[Math.floor(random(nth) * alternatives.length)]!),
    )
  return render(parseChoices(text))
}

/** Returns the text with all alternatives, at their original positions. */
export function expandSpintax(text: string): string {
  const marks = listChoices(parseChoices(text)).flatMap(({ alternatives }) => [
    alternatives[0]!.from - 1,
    ...alternatives.map(({ to }) => to),
  ])
  let [output, at] = ['', 0]
  for (const mark of marks.sort((a, b) => a - b)) {
    output += `${text.slice(at, mark)} `
    at = mark + 1
  }
  return output + text.slice(at)
}

/** Returns the text without choices and each alternative separately; every resolution is composed of these. */
export function splitSpintax(text: string): string[] {
  const whole = parseChoices(text)
  const alternatives = listChoices(whole).flatMap(choice => choice.alternatives)
  return [whole, ...alternatives].map(alternative => replaceChoices(text, alternative, () => ''))
}

const listChoices = ({ choices }: Alternative): Choice[] =>
  choices.flatMap(choice => [choice, ...choice.alternatives.flatMap(listChoices)])

function replaceChoices(
  text: string,
  { from, to, choices }: Alternative,
  render: (choice: Choice) => string,
): string {
  let [output, at] = ['', from]
  for (const choice of choices) {
    output += text.slice(at, choice.alternatives[0]!.from - 1) + render(choice)
    at = choice.alternatives.at(-1)!.to + 1
  }
  return output + text.slice(at, to)
}

/** Parses the text as an alternative. Throws ValidationError with the line and column. */
function parseChoices(text: string): Alternative {
  const whole: Alternative = { from: 0, to: text.length, choices: [] }
  const open: Alternative[][] = [[whole]]
  let [count, marks] = [0, 0]
  const close = () => {
    const alternatives = open.pop()!
    const { choices } = open.at(-1)!.at(-1)!
    if (alternatives.length > 1) choices.push({ nth: count++, alternatives })
    else choices.push(...alternatives[0]!.choices)
  }
  for (const { 0: token, index } of text.matchAll(tokens)) {
    if (token === '{' || token === '|' || token === '}') marks += 1
    if (marks > maxMarks)
      throw invalid('', `has more than ${maxMarks} braces and bars outside of Liquid tags`)
    if (token === '{') {
      if (open.length > maxDepth)
        throw invalid('', `${formatPosition(text, index)}: braces nest more than ${maxDepth} levels deep`)
      open.push([{ from: index + 1, to: index + 1, choices: [] }])
    } else if (open.length > 1 && (token === '|' || token === '}')) {
      open.at(-1)!.at(-1)!.to = index
      if (token === '|') open.at(-1)!.push({ from: index + 1, to: index + 1, choices: [] })
      else close()
    }
  }
  while (open.length > 1) {
    const [first, ...others] = open.at(-1)!
    if (others.length > 0) throw invalid('', `${formatPosition(text, first!.from - 1)}: ${UNCLOSED_CHOICE}`)
    close()
  }
  return whole
}

const UNCLOSED_CHOICE =
  'starts a choice that is never closed; write a literal brace as {% raw %}{{% endraw %}'

function formatPosition(text: string, index: number): string {
  const lines = text.slice(0, index).split('\n')
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`
}
