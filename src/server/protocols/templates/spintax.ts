import { invalid } from '../../kernel/errors.ts'

/** `{Hi|Hello}`: of the alternatives one is said, which may hold choices itself. Places are those in the text. */
type Choice = { nth: number; alternatives: Alternative[] }
type Alternative = { from: number; to: number; choices: Choice[] }

const maxDepth = 10
const maxMarks = 1_000

/**
 * What is never a choice: Liquid, quotes in it included, and in HTML style sheets and comments. Liquid that is not
 * closed runs to the end, where Liquid itself tells of it. `{{{` and `{{%` are a choice that begins with Liquid.
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
 * The text with one alternative of each choice. `chance` gives a number from 0 up to 1 for the nth choice of the text,
 * the same each time if the words are to be the same. Braces without a `|` between them stand for themselves.
 */
export function resolveSpintax(text: string, chance: (nth: number) => number): string {
  const say = (alternative: Alternative): string =>
    withChoices(text, alternative, ({ nth, alternatives }) =>
      say(alternatives[Math.floor(chance(nth) * alternatives.length)]!),
    )
  return say(parseChoices(text))
}

/** All alternatives at once, everything in its old place. */
export function expandSpintax(text: string): string {
  const marks = allChoices(parseChoices(text)).flatMap(({ alternatives }) => [
    alternatives[0]!.from - 1,
    ...alternatives.map(({ to }) => to),
  ])
  let [said, at] = ['', 0]
  for (const mark of marks.sort((one, other) => one - other)) {
    said += `${text.slice(at, mark)} `
    at = mark + 1
  }
  return said + text.slice(at)
}

/** Each alternative alone, and the text without any: whatever is chosen is put together from these. */
export function splitSpintax(text: string): string[] {
  const whole = parseChoices(text)
  const alternatives = allChoices(whole).flatMap(choice => choice.alternatives)
  return [whole, ...alternatives].map(alternative => withChoices(text, alternative, () => ''))
}

const allChoices = ({ choices }: Alternative): Choice[] =>
  choices.flatMap(choice => [choice, ...choice.alternatives.flatMap(allChoices)])

function withChoices(
  text: string,
  { from, to, choices }: Alternative,
  say: (choice: Choice) => string,
): string {
  let [said, at] = ['', from]
  for (const choice of choices) {
    said += text.slice(at, choice.alternatives[0]!.from - 1) + say(choice)
    at = choice.alternatives.at(-1)!.to + 1
  }
  return said + text.slice(at, to)
}

/** The whole text as one alternative. Throws `invalid` that says line and column. */
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
        throw invalid('', `${placeOf(text, index)}: braces nest more than ${maxDepth} levels deep`)
      open.push([{ from: index + 1, to: index + 1, choices: [] }])
    } else if (open.length > 1 && (token === '|' || token === '}')) {
      open.at(-1)!.at(-1)!.to = index
      if (token === '|') open.at(-1)!.push({ from: index + 1, to: index + 1, choices: [] })
      else close()
    }
  }
  while (open.length > 1) {
    const [first, ...others] = open.at(-1)!
    if (others.length > 0) throw invalid('', `${placeOf(text, first!.from - 1)}: ${neverClosed}`)
    close()
  }
  return whole
}

const neverClosed =
  'opens a choice that is never closed; a brace that is none is written {% raw %}{{% endraw %}'

function placeOf(text: string, index: number): string {
  const lines = text.slice(0, index).split('\n')
  return `line ${lines.length}, column ${lines.at(-1)!.length + 1}`
}
