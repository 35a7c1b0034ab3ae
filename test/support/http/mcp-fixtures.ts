import { randomBytes } from 'node:crypto'
import {
  acceptedContent,
  CLIENT_CAPABILITIES_META_KEY,
  createMcpHandler,
  createRequestStateCodec,
  type InputRequest,
  inputRequired,
  type McpHttpHandler,
  MissingRequiredClientCapabilityError,
  ProtocolError,
  ProtocolErrorCode,
  Server,
  type ServerContext,
} from '@modelcontextprotocol/server'
import { z } from 'zod'

const png = 'iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8BQDwAEhQGAhKmMIQAAAABJRU5ErkJggg=='
const text = (text: string) => ({ type: 'text' as const, text })
const image = { type: 'image' as const, data: png, mimeType: 'image/png' }
const embedded = (uri: string, text: string, mimeType = 'text/plain') => ({
  type: 'resource' as const,
  resource: { uri, mimeType, text },
})

const form = (message: string, property: string, shape = z.string() as z.ZodType) =>
  inputRequired.elicit({ message, requestedSchema: z.object({ [property]: shape }) })
const sample = (content: string, maxTokens = 100) =>
  inputRequired.createMessage({ messages: [{ role: 'user', content: text(content) }], maxTokens })
const userName = form('What is your name?', 'name')

const states = createRequestStateCodec<number>({ key: randomBytes(32) })

/** A tool's input requests to the client, by round; the request state holds the current round. */
const rounds: Record<string, Record<string, InputRequest>[]> = {
  test_input_required_result_elicitation: [{ user_name: userName }],
  test_input_required_result_sampling: [{ capital_question: sample('What is the capital of France?') }],
  test_input_required_result_list_roots: [{ client_roots: inputRequired.listRoots() }],
  test_input_required_result_request_state: [{ confirm: form('Please confirm', 'ok', z.boolean()) }],
  test_input_required_result_tampered_state: [{ confirm: form('Please confirm', 'ok', z.boolean()) }],
  test_input_required_result_multiple_inputs: [
    {
      user_name: userName,
      greeting: sample('Generate a greeting', 50),
      client_roots: inputRequired.listRoots(),
    },
  ],
  test_input_required_result_multi_round: [
    { step1: form('Step 1: What is your name?', 'name') },
    { step2: form('Step 2: What is your favorite color?', 'color') },
  ],
  test_input_required_result_capabilities: [{ greeting: sample('Generate a greeting') }],
}
const stateful = ['request_state', 'tampered_state', 'multiple_inputs', 'multi_round']

async function nextRound(name: string, { mcpReq }: ServerContext) {
  const requests = rounds[name]!
  const isStateful = stateful.some(kind => name.endsWith(kind))
  const round = isStateful ? (mcpReq.requestState<number>() ?? 0) : 0
  const answers = mcpReq.inputResponses ?? {}
  const isAnswered = Object.keys(requests[round]!).every(key => key in answers)
  const next = isAnswered ? round + 1 : round
  if (!requests[next]) return { content: [text(`state-ok: ${JSON.stringify(answers)}`)] }
  return inputRequired({
    inputRequests: requests[next],
    ...(isStateful && { requestState: await states.mint(next) }),
  })
}

type Params = { name: string; uri: string; arguments?: Record<string, unknown> | undefined }
type Call = (ctx: ServerContext, args: Record<string, unknown>) => unknown

const calls: Record<string, Call> = {
  test_simple_text: () => ({ content: [text('This is a simple text response for testing.')] }),
  test_image_content: () => ({ content: [image] }),
  test_audio_content: () => ({
    content: [{ type: 'audio', data: 'UklGRiQAAABXQVZFZm10IA==', mimeType: 'audio/wav' }],
  }),
  test_embedded_resource: () => ({
    content: [embedded('test://embedded-resource', 'This is an embedded resource content.')],
  }),
  test_multiple_content_types: () => ({
    content: [
      text('Multiple content types test:'),
      image,
      embedded('test://mixed-content-resource', '{"test":"data","value":123}', 'application/json'),
    ],
  }),
  test_error_handling: () => ({
    content: [text('This tool intentionally returns an error for testing')],
    isError: true,
  }),
  test_tool_with_progress: async ({ mcpReq }) => {
    const progressToken = mcpReq._meta?.progressToken
    for (const progress of progressToken === undefined ? [] : [0, 50, 100]) {
      const params = { progressToken, progress, total: 100 }
      await mcpReq.notify({ method: 'notifications/progress', params })
    }
    return { content: [text('done')] }
  },
  test_tool_with_logging: async ({ mcpReq }) => {
    for (const data of ['Tool execution started', 'Tool processing data', 'Tool execution completed']) {
      await mcpReq.notify({ method: 'notifications/message', params: { level: 'info', data } })
    }
    return { content: [text('done')] }
  },
  test_logging_tool: async ({ mcpReq }) => {
    await mcpReq.log('info', 'Log message for subscribed clients')
    return { content: [text('done')] }
  },
  test_missing_capability: ({ mcpReq }) => {
    const envelope = mcpReq.envelope as Record<string, { sampling?: object }> | undefined
    if (envelope?.[CLIENT_CAPABILITIES_META_KEY]?.sampling) return { content: [] }
    throw new MissingRequiredClientCapabilityError({ requiredCapabilities: { sampling: {} } })
  },
  test_streaming_elicitation: () => inputRequired({ inputRequests: { user_name: userName } }),
  ...Object.fromEntries(
    Object.keys(rounds).map(name => [name, (ctx: ServerContext) => nextRound(name, ctx)]),
  ),
}

const user = (content: object) => ({ role: 'user', content })
const prompts: Record<string, { parameters?: string[]; get: Call }> = {
  test_simple_prompt: {
    get: () => ({ messages: [user(text('This is a simple prompt for testing.'))] }),
  },
  test_prompt_with_arguments: {
    parameters: ['arg1', 'arg2'],
    get: (_ctx, { arg1, arg2 }) => ({
      messages: [user(text(`Prompt with arguments: arg1='${arg1}', arg2='${arg2}'`))],
    }),
  },
  test_prompt_with_embedded_resource: {
    parameters: ['resourceUri'],
    get: (_ctx, { resourceUri }) => ({
      messages: [
        user(embedded(String(resourceUri), 'Embedded resource content for testing.')),
        user(text('Please process the embedded resource above.')),
      ],
    }),
  },
  test_prompt_with_image: {
    get: () => ({ messages: [user(image), user(text('Please analyze the image above.'))] }),
  },
  test_input_required_result_prompt: {
    get: ({ mcpReq }) => {
      const given = acceptedContent<{ context: string }>(mcpReq.inputResponses, 'user_context')
      return given
        ? { messages: [user(text(given.context))] }
        : inputRequired({
            inputRequests: { user_context: form('What context should the prompt use?', 'context') },
          })
    },
  },
}

const resources: Record<string, object> = {
  'test://static-text': {
    mimeType: 'text/plain',
    text: 'This is the content of the static text resource.',
  },
  'test://static-binary': { mimeType: 'image/png', blob: png },
  'test://watched-resource': { mimeType: 'text/plain', text: 'Nothing ever changes here.' },
}

function read(uri: string) {
  const [, id] = /^test:\/\/template\/(\w+)\/data$/.exec(uri) ?? []
  const found = id
    ? {
        mimeType: 'application/json',
        text: JSON.stringify({ id, templateTest: true, data: `Data for ID: ${id}` }),
      }
    : resources[uri]
  if (!found) throw new ProtocolError(ProtocolErrorCode.InvalidParams, 'Resource not found', { uri })
  return { contents: [{ uri, ...found }] }
}

const findNamed = <T>(table: Record<string, T>, name: string): T => {
  if (Object.hasOwn(table, name)) return table[name]!
  throw new ProtocolError(ProtocolErrorCode.InvalidParams, `There is no ${name}.`)
}

/** Opens the tools, prompts and resources that the conformance suite requires, served like the product's tools. */
export const openFixtures = (): McpHttpHandler =>
  createMcpHandler(({ era }) => {
    const server = new Server(
      { name: 'fixtures', version: '1.0.0' },
      {
        capabilities: {
          tools: {},
          prompts: {},
          resources: { subscribe: era === 'legacy' },
          completions: {},
          logging: {},
        },
        requestState: states,
      },
    )
    const register = (method: string, handle: (ctx: ServerContext, params: Params) => unknown) =>
      server.setRequestHandler(
        method as 'tools/call',
        async (request, ctx) => (await handle(ctx, request.params as Params)) as never,
      )
    register('tools/list', () => ({
      tools: Object.keys(calls).map(name => ({ name, description: name, inputSchema: { type: 'object' } })),
    }))
    register('tools/call', (ctx, { name, arguments: args = {} }) => findNamed(calls, name)(ctx, args))
    register('prompts/list', () => ({
      prompts: Object.entries(prompts).map(([name, { parameters = [] }]) => ({
        name,
        description: name,
        arguments: parameters.map(argument => ({ name: argument, description: argument, required: true })),
      })),
    }))
    register('prompts/get', (ctx, { name, arguments: args = {} }) => findNamed(prompts, name).get(ctx, args))
    register('resources/list', () => ({
      resources: Object.keys(resources).map(uri => ({ uri, name: uri, description: uri })),
    }))
    register('resources/templates/list', () => ({
      resourceTemplates: [{ uriTemplate: 'test://template/{id}/data', name: 'template' }],
    }))
    register('resources/read', (_ctx, { uri }) => read(uri))
    register('resources/subscribe', () => ({}))
    register('resources/unsubscribe', () => ({}))
    register('completion/complete', () => ({ completion: { values: ['paris', 'park', 'party'] } }))
    return server
  })
