// What a frame of the default dialect may be. `sdkChunk` is equal to the schema by
// which @ai-sdk/openai reads a chat stream; `strictChunk` adds what Runnel promises beyond it.

import assert from 'node:assert/strict';

import { z } from 'zod';

const tokenLogprobs = z.array(
  z.object({
    token: z.string(),
    logprob: z.number(),
    top_logprobs: z.array(z.object({ token: z.string(), logprob: z.number() })),
  }),
);

const citation = z.object({
  type: z.literal('url_citation'),
  url_citation: z.object({
    start_index: z.number(),
    end_index: z.number(),
    url: z.string(),
    title: z.string(),
  }),
});

const toolCallDelta = z.object({
  index: z.number(),
  id: z.string().nullish(),
  type: z.literal('function').nullish(),
  function: z.object({ name: z.string().nullish(), arguments: z.string().nullish() }),
});

const choice = z.object({
  index: z.number(),
  delta: z
    .object({
      role: z.enum(['assistant']).nullish(),
      content: z.string().nullish(),
      refusal: z.string().nullish(),
      tool_calls: z.array(toolCallDelta).nullish(),
      annotations: z.array(citation).nullish(),
    })
    .nullish(),
  logprobs: z
    .object({ content: tokenLogprobs.nullish(), refusal: tokenLogprobs.nullish() })
    .nullish(),
  finish_reason: z.string().nullish(),
});

const usage = z.object({
  prompt_tokens: z.number().nullish(),
  completion_tokens: z.number().nullish(),
  total_tokens: z.number().nullish(),
  prompt_tokens_details: z
    .object({ cached_tokens: z.number().nullish(), cache_write_tokens: z.number().nullish() })
    .nullish(),
  completion_tokens_details: z
    .object({
      reasoning_tokens: z.number().nullish(),
      accepted_prediction_tokens: z.number().nullish(),
      rejected_prediction_tokens: z.number().nullish(),
    })
    .nullish(),
});

const sdkChunk = z.object({
  id: z.string().nullish(),
  created: z.number().nullish(),
  model: z.string().nullish(),
  choices: z.array(choice),
  usage: usage.nullish(),
});

// Runnel's own delta: no key that OpenAI's has not, but for the reasoning.
const strictDelta = z.strictObject({
  role: z.literal('assistant').optional(),
  content: z.string().nullable().optional(),
  reasoning_content: z.string().optional(),
  refusal: z.string().optional(),
  tool_calls: z
    .array(
      z.strictObject({
        index: z.number().int().nonnegative(),
        id: z.string().min(1).optional(),
        type: z.literal('function').optional(),
        function: z.strictObject({
          name: z.string().min(1).optional(),
          arguments: z.string(),
        }),
      }),
    )
    .optional(),
  annotations: z.array(citation).optional(),
});

const strictChunk = z.strictObject({
  id: z.string().min(1),
  object: z.literal('chat.completion.chunk'),
  created: z.number().int(),
  model: z.string().min(1),
  choices: z.array(
    z.strictObject({
      index: z.number().int().nonnegative(),
      delta: strictDelta,
      finish_reason: z.enum(['stop', 'length', 'tool_calls', 'content_filter']).nullable(),
    }),
  ),
  usage: usage.nullable().optional(),
});

const errorFrame = z.strictObject({
  error: z.strictObject({
    message: z.string().min(1),
    type: z.string().min(1),
    code: z.string().nullable(),
    param: z.string().nullable(),
  }),
});

// JSON.stringify escapes a surrogate only where its other half is missing.
const loneSurrogate = /\\ud[89a-f]/i;

export function assertFits(frame) {
  const schemas = 'error' in frame ? [errorFrame] : [sdkChunk, strictChunk];
  for (const schema of schemas) schema.parse(frame);
  assert.doesNotMatch(JSON.stringify(frame), loneSurrogate);
}
