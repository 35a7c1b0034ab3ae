/** A request to show as code; `path` begins after /v1 and includes the query. */
export type SampleRequest = { method: string; path: string; body?: unknown; headers: Record<string, string> }

export const languages = ['curl', 'TypeScript', 'Python'] as const
export type Language = (typeof languages)[number]

/** Returns code that sends the request. The code reads OVERTURE_URL and OVERTURE_TOKEN from the environment. */
export const toSample: Record<Language, (request: SampleRequest) => string> = {
  curl: ({ method, path, body, headers }) =>
    [
      `curl${method === 'GET' ? '' : ` -X ${method}`} "$OVERTURE_URL/v1${path}"`,
      '-H "Authorization: Bearer $OVERTURE_TOKEN"',
      ...Object.entries(headers).map(([name, value]) => `-H ${quoteForShell(`${name}: ${value}`)}`),
      ...(body === undefined
        ? []
        : ["-H 'Content-Type: application/json'", `-d ${quoteForShell(JSON.stringify(body, null, 2))}`]),
    ].join(' \\\n  '),
  TypeScript: ({ method, path, body, headers }) => {
    const lines = [
      `    authorization: \`Bearer \${process.env.OVERTURE_TOKEN}\`,`,
      ...Object.entries({ ...headers, ...(body !== undefined && jsonType) }).map(
        ([name, value]) => `    '${name}': ${JSON.stringify(value)},`,
      ),
    ]
    return `const response = await fetch(\`\${process.env.OVERTURE_URL}/v1${path}\`, {
  method: '${method}',
  headers: {
${lines.join('\n')}
  },${body === undefined ? '' : `\n  body: JSON.stringify(${indent(JSON.stringify(body, null, 2))}),`}
})
if (!response.ok) throw new Error(await response.text())
console.log(await response.json())`
  },
  Python: ({ method, path, body, headers }) => {
    const lines = [
      '        "Authorization": "Bearer " + os.environ["OVERTURE_TOKEN"],',
      ...Object.entries({ ...headers, ...(body !== undefined && jsonType) }).map(
        ([name, value]) => `        "${name}": ${JSON.stringify(value)},`,
      ),
    ]
    return `import json, os, urllib.request

request = urllib.request.Request(
    os.environ["OVERTURE_URL"] + "/v1${path}",
    method="${method}",
    headers={
${lines.join('\n')}
    },${body === undefined ? '' : `\n    data=json.dumps(${indent(formatPython(body), '    ')}).encode(),`}
)
with urllib.request.urlopen(request) as response:
    print(json.load(response))`
  },
}

const jsonType = { 'content-type': 'application/json' }

const quoteForShell = (text: string): string => `'${text.replaceAll("'", `'\\''`)}'`

const indent = (text: string, by = '  '): string => text.replaceAll('\n', `\n${by}`)

/** Formats a JSON value as a Python literal. */
function formatPython(value: unknown, margin = ''): string {
  if (value === null) return 'None'
  if (typeof value === 'boolean') return value ? 'True' : 'False'
  if (typeof value !== 'object') return JSON.stringify(value)
  const inner = `${margin}    `
  const items = Array.isArray(value)
    ? value.map(item => formatPython(item, inner))
    : Object.entries(value).map(([key, item]) => `${JSON.stringify(key)}: ${formatPython(item, inner)}`)
  const [open, close] = Array.isArray(value) ? '[]' : '{}'
  return items.length === 0
    ? `${open}${close}`
    : `${open}\n${items.map(item => `${inner}${item},\n`).join('')}${margin}${close}`
}
