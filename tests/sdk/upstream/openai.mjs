// OpenAI chat completions, and the many servers that speak the same.

import { dataFrame, halves, secretDetail, sseHeaders } from './sse.mjs';

export const name = 'openai';
export const headers = sseHeaders;

export function claims(path) {
  return path === '/v1/chat/completions';
}

export const isAuthorized = (request) => request.headers.authorization === 'Bearer key-o';

export function read(body) {
  const toolMessages = body.messages.filter((message) => message.role === 'tool');
  return {
    model: body.model,
    streams: body.stream === true,
    toolResults: toolMessages.map((message) => textOf(message.content)),
    complaint: complaintAbout(body),
  };
}

const textOf = (content) =>
  typeof content === 'string' ? content : content.map((part) => part.text).join('');

function complaintAbout(body) {
  const asked = new Set();
  for (const message of body.messages) {
    for (const call of message.tool_calls ?? []) {
      if (typeof call.function.arguments !== 'string') return 'arguments must be a string';
      asked.add(call.id);
    }
    if (message.role === 'tool' && !asked.has(message.tool_call_id))
      return `tool_call_id '${message.tool_call_id}' has no matching tool call`;
  }
  if (body.stream_options && !body.stream) return 'stream_options without stream';
  if (body.tools && body.tools.length === 0) return 'tools is empty';
  return undefined;
}

const envelope = (model, object) => ({
  id: 'chatcmpl-UPSTREAM0001',
  object,
  created: 1760000000,
  model: `${model}-2026-01-01`,
  service_tier: 'default',
  system_fingerprint: 'fp_upstream',
});

export function* stream(answer, { model, body }) {
  const asksForUsage = body.stream_options?.include_usage === true;
  const chunk = (delta, finish_reason = null) =>
    dataFrame({
      ...envelope(model, 'chat.completion.chunk'),
      choices: [{ index: 0, delta, logprobs: null, finish_reason }],
      ...(asksForUsage ? { usage: null } : {}),
      obfuscation: 'x7Qw',
    });

  let index = 0;
  const callDelta = (delta) => chunk({ tool_calls: [{ index, ...delta }] });

  if (!answer.steps[0]?.fail) yield chunk({ role: 'assistant', content: '', refusal: null });
  for (const step of answer.steps) {
    if (step.text) yield chunk({ content: step.text });
    if (step.reasoning) yield chunk({ reasoning_content: step.reasoning });
    if (step.noise) yield* [': OPENROUTER PROCESSING\n\n', chunk({}), chunk({ content: '' })];
    if (step.call) {
      const { name: tool, args } = step.call;
      const announced = {
        id: callId(step.call),
        type: 'function',
        function: { name: tool, arguments: '' },
      };
      yield callDelta(announced);
      for (const fragment of halves(JSON.stringify(args)))
        yield callDelta({ function: { arguments: fragment } });
      index += 1;
    }
    if (step.fail) {
      yield dataFrame({ error: overloaded });
      return;
    }
    if (step.cut || step.wait) yield step;
  }
  const usage = dataFrame({
    ...envelope(model, 'chat.completion.chunk'),
    choices: [],
    usage: usageOf(answer.usage),
    obfuscation: '',
  });
  // In one piece: the gateway does not wait long for a usage after the finish reason, whatever the
  // machine is busy with.
  yield chunk({}, answer.finish) + (asksForUsage ? usage : '') + 'data: [DONE]\n\n';
}

export function whole(answer, { model }) {
  const joined = (kind) => answer.steps.map((step) => step[kind] ?? '').join('');
  const calls = answer.steps
    .filter((step) => step.call)
    .map(({ call }) => ({
      id: callId(call),
      type: 'function',
      function: { name: call.name, arguments: JSON.stringify(call.args) },
    }));
  const message = {
    role: 'assistant',
    content: joined('text') || (calls.length ? null : ''),
    refusal: null,
    annotations: [],
    ...(joined('reasoning') ? { reasoning_content: joined('reasoning') } : {}),
    ...(calls.length ? { tool_calls: calls } : {}),
  };
  return {
    ...envelope(model, 'chat.completion'),
    choices: [{ index: 0, message, logprobs: null, finish_reason: answer.finish }],
    usage: usageOf(answer.usage),
  };
}

const callId = (call) => `call_Up0${call.mark ?? call.name}`;

function usageOf({ fresh, cacheRead, output, reasoning }) {
  const prompt = fresh + (cacheRead ?? 0);
  return {
    prompt_tokens: prompt,
    completion_tokens: output,
    total_tokens: prompt + output,
    ...(cacheRead === undefined
      ? {}
      : { prompt_tokens_details: { cached_tokens: cacheRead, audio_tokens: 0 } }),
    ...(reasoning === undefined
      ? {}
      : { completion_tokens_details: { reasoning_tokens: reasoning, audio_tokens: 0 } }),
  };
}

const overloaded = {
  message: `The server is overloaded: ${secretDetail}`,
  type: 'server_error',
  param: null,
  code: 'server_is_overloaded',
};

const errors = {
  400: {
    message: "Invalid value for 'messages'",
    type: 'invalid_request_error',
    param: 'messages',
    code: null,
  },
  401: {
    message: 'Incorrect API key provided',
    type: 'invalid_request_error',
    param: null,
    code: 'invalid_api_key',
  },
  404: {
    message: 'The model does not exist',
    type: 'invalid_request_error',
    param: null,
    code: 'model_not_found',
  },
  429: {
    message: 'Rate limit reached',
    type: 'requests',
    param: null,
    code: 'rate_limit_exceeded',
  },
  500: {
    message: `Server error: ${secretDetail}`,
    type: 'server_error',
    param: null,
    code: null,
  },
};

export const failure = (status, complaint) => ({
  status,
  headers: status === 429 ? { 'retry-after': '1' } : {},
  body: { error: { ...errors[status], ...(complaint ? { message: complaint } : {}) } },
});
