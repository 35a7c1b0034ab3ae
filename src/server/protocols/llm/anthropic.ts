import { z } from 'zod'
import { type ModelApi, ModelError } from './model.ts'

/** The API version sent in the `anthropic-version` header. */
const API_VERSION = '2023-06-01'

const count = z.int().min(0).catch(0)
const usageSchema = z.object({ usage: z.object({ input_tokens: count, output_tokens: count }) })
const messageSchema = z.object({
  content: z.array(z.looseObject({ type: z.string(), name: z.string().optional() })),
})

/**
 * Anthropic's Messages API (POST /v1/messages). For structured output, the request offers a single tool, and the model
 * must call it with the answer.
 */
export const anthropicApi: ModelApi = {
  path: '/messages',
  headers: ({ apiKey }) => ({ 'anthropic-version': API_VERSION, ...(apiKey && { 'x-api-key': apiKey }) }),
  body: ({ model }, { system, user, schema, maxTokens }) => ({
    model,
    max_tokens: maxTokens,
    system,
    messages: [{ role: 'user', content: user }],
    tools: [{ name: schema.name, description: schema.description, input_schema: schema.json }],
    tool_choice: { type: 'tool', name: schema.name },
  }),
  usage: response => {
    const { data } = usageSchema.safeParse(response)
    return { inputTokens: data?.usage.input_tokens ?? 0, outputTokens: data?.usage.output_tokens ?? 0 }
  },
  read: (response, usage) => {
    const used = messageSchema.safeParse(response).data?.content.find(({ type }) => type === 'tool_use')
    if (!used) throw new ModelError('The model did not return the requested JSON.', { usage })
    return used.input
  },
}
