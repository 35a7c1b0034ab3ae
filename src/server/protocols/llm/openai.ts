import { z } from 'zod'
import { type ModelApi, ModelError } from './model.ts'

const count = z.int().min(0).catch(0)
const counted = z.object({ usage: z.object({ prompt_tokens: count, completion_tokens: count }) })
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
 * Chat completions with structured output, as OpenAI's API reference of 2025 has them (POST /v1/chat/completions,
 * `response_format` of the type `json_schema`), and after it vLLM, llama.cpp, Ollama, LM Studio and many hosts.
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
    // OpenAI's reasoning models refuse the older name, which is the one that other servers know.
    [provider === 'openai' ? 'max_completion_tokens' : 'max_tokens']: maxTokens,
  }),
  usage: answer => {
    const { data } = counted.safeParse(answer)
    return { inputTokens: data?.usage.prompt_tokens ?? 0, outputTokens: data?.usage.completion_tokens ?? 0 }
  },
  read: (answer, usage) => {
    const message = completion.safeParse(answer).data?.choices[0]?.message
    if (message?.refusal) throw new ModelError('The model refused to answer.', { usage })
    try {
      return JSON.parse(message?.content ?? '')
    } catch {
      throw new ModelError('The model answered without the JSON it was asked for.', { usage })
    }
  },
}
