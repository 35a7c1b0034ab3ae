import { z } from 'zod'
import { type ModelApi, ModelError } from './model.ts'

/** The version of the API that this file follows, as its header names it. */
const VERSION = '2023-06-01'

const count = z.int().min(0).catch(0)
const counted = z.object({ usage: z.object({ input_tokens: count, output_tokens: count }) })
const message = z.object({
  content: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })),
})

/**
 * Anthropic's Messages API (POST /v1/messages). Its way to structured output is a tool that the model has to call:
 * here one that only takes the answer down, and nothing else is offered.
 */
export const anthropicApi: ModelApi = {
  path: '/messages',
  headers: ({ apiKey }) => ({ 'anthropic-version': VERSION, ...(apiKey && { 'x-api-key': apiKey }) }),
  body: ({ model }, { system, user, schema, maxTokens }) => ({
    model,
    max_tokens: maxTokens,
    system,
    messages: [{ role: 'user', content: user }],
    tools: [{ name: schema.name, description: schema.description, input_schema: schema.json }],
    tool_choice: { type: 'tool', name: schema.name },
  }),
  usage: answer => {
    const { data } = counted.safeParse(answer)
    return { inputTokens: data?.usage.input_tokens ?? 0, outputTokens: data?.usage.output_tokens ?? 0 }
  },
  read: (answer, usage) => {
    const used = message.safeParse(answer).data?.content.find(({ type }) => type === 'tool_use')
    if (!used) throw new ModelError('The model answered without the JSON it was asked for.', { usage })
    return used.input
  },
}
