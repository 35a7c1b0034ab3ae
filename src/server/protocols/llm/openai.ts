import { z } from 'zod'
import { type ModelApi, ModelError } from './model.ts'

const count = z.int().min(0).catch(0)
const usageSchema = z.object({ usage: z.object({ prompt_tokens: count, completion_tokens: count }) })
const completion = z.object({
  choices: z
    .array(
      z.object({
        finish_reason: z.string().nullish(),
        message: z.object({ content: z.string().nullish(), refusal: z.string().nullish() }),
      }),
    )
    .min(1),
})

/**
 * OpenAI's chat completions with structured output (POST /v1/chat/completions, `response_format` of type
 * `json_schema`), as of 2025; also implemented by vLLM, llama.cpp, Ollama, LM Studio and many hosts.
 */
export const openaiApi: ModelApi = {
  path: '/chat/completions',
  headers: ({ apiKey }): Record<string, string> => (apiKey ? { authorization: `Bearer ${apiKey}` } : {}),
  body: ({ model, provider }, { system, user, schema, maxTokens }) => ({
    model,
    messages: [
      { role: 'system', content: system },
      { role: 'user', content: user },
    ],
    response_format: {
      type: 'json_schema',
      json_schema: {
        name: schema.name,
        description: schema.description,
        strict: true,
        schema: schema.json,
      },
    },
    // OpenAI's reasoning models reject the older name, which other servers require.
    [provider === 'openai' ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
  }),
  usage: response => {
    const { data } = usageSchema.safeParse(response)
    return { inputTokens: data?.usage.prompt_tokens ?? 0, outputTokens: data?.usage.completion_tokens ?? 0 }
  },
  read: (response, usage) => {
    const message = completion.safeParse(response).data?.choices[0]?.message
    if (message?.refusal) throw new ModelError('The model refused to answer.', { usage })
    try {
      return JSON.parse(message?.content ?? '')
    } catch {
      throw new ModelError('The model did not return the requested JSON.', { usage })
    }
  },
}
