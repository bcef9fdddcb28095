// Anthropic's Messages API: named events, content blocks, JSON padded with spaces.

import { thinkingSignature } from './scripts.mjs';
import { halves, secretDetail, sseHeaders } from './sse.mjs';

export const name = 'anthropic';
export const headers = sseHeaders;

export function claims(path) {
  return path === '/v1/messages';
}

export const isAuthorized = (request) =>
  request.headers['x-api-key'] === 'key-c' && Boolean(request.headers['anthropic-version']);

const blocksOf = (message) =>
  typeof message.content === 'string' ? [{ type: 'text', text: message.content }] : message.content;

const ofType = (message, type) => blocksOf(message).filter((block) => block.type === type);

export function read(body) {
  const results = body.messages.flatMap((message) => ofType(message, 'tool_result'));
  return {
    model: body.model,
    streams: body.stream === true,
    toolResults: results.map(({ content }) =>
      blocksOf({ content })
        .map((block) => block.text)
        .join(''),
    ),
    complaint: complaintAbout(body),
  };
}

// The rules whose breach the real API answers with 400.
function complaintAbout({ messages, max_tokens, tools, thinking }) {
  if (!Number.isInteger(max_tokens)) return 'max_tokens: Field required';
  if (thinking?.type === 'enabled' && !(thinking.budget_tokens < max_tokens))
    return '`max_tokens` must be greater than `thinking.budget_tokens`';
  if (messages[0].role !== 'user') return 'messages: first message must use the "user" role';
  for (const tool of tools ?? [])
    if (tool.input_schema?.type !== 'object')
      return `tools: ${tool.name}: input_schema.type must be object`;

  for (const [at, message] of messages.entries()) {
    if (message.role !== (at % 2 ? 'assistant' : 'user'))
      return `messages.${at}: roles must alternate`;
    if (blocksOf(message).some((block) => block.type === 'text' && block.text === ''))
      return 'messages: text content blocks must be non-empty';

    const calls = ofType(message, 'tool_use');
    if (calls.some(({ input }) => input === null || typeof input !== 'object'))
      return 'input must be an object';
    if (calls.length === 0) continue;
    if (thinking?.type === 'enabled' && blocksOf(message)[0].type !== 'thinking')
      return `messages.${at}.content.0.type: Expected \`thinking\`, but found \`tool_use\``;
    if (!tools)
      return 'Requests which include `tool_use` or `tool_result` blocks must define tools';

    const answers = blocksOf(messages[at + 1] ?? { content: [] }).slice(0, calls.length);
    if (calls.some(({ id }) => !answers.some((block) => block.tool_use_id === id)))
      return `messages.${at}: \`tool_use\` without \`tool_result\` right after`;
  }
  return undefined;
}

// The real API puts a varying number of spaces before the last brace.
const padded = (value, at) => JSON.stringify(value).replace(/}$/, `${' '.repeat((at * 5) % 14)}}`);

export function* stream(answer, { model }) {
  let frames = 0;
  const event = (type, fields) =>
    `event: ${type}\ndata: ${padded({ type, ...fields }, frames++)}\n\n`;

  let index = -1;
  let open;
  const close = () => {
    if (!open) return '';
    open = undefined;
    return event('content_block_stop', { index });
  };
  const begin = (kind, content_block) => {
    const closing = close();
    open = kind;
    index += 1;
    return closing + event('content_block_start', { index, content_block });
  };
  const delta = (type, fields) =>
    event('content_block_delta', { index, delta: { type, ...fields } });

  const message = { ...emptyMessage(model), usage: usageOf(answer.usage, 1) };
  if (!answer.steps[0]?.fail) yield event('message_start', { message });
  for (const step of answer.steps) {
    if (step.reasoning) {
      if (open !== 'thinking')
        yield begin('thinking', { type: 'thinking', thinking: '', signature: '' });
      yield delta('thinking_delta', { thinking: step.reasoning });
    }
    if (step.signature) yield delta('signature_delta', { signature: thinkingSignature });
    if (step.text) {
      if (open !== 'text') yield begin('text', { type: 'text', text: '' });
      yield delta('text_delta', { text: step.text });
    }
    if (step.noise) yield event('ping', {});
    if (step.call) {
      yield begin('tool_use', {
        type: 'tool_use',
        id: callId(step.call),
        name: step.call.name,
        input: {},
      });
      yield delta('input_json_delta', { partial_json: '' });
      // A tool without arguments gets no further delta.
      if (Object.keys(step.call.args).length)
        for (const partial_json of halves(JSON.stringify(step.call.args)))
          yield delta('input_json_delta', { partial_json });
    }
    if (step.fail) {
      yield event('error', { error: { details: null, ...overloaded } });
      return;
    }
    if (step.cut || step.wait) yield step;
  }
  const closing = close();
  if (closing) yield closing;
  yield event('message_delta', {
    delta: { stop_reason: stopReasons[answer.finish], stop_sequence: null },
    usage: usageOf(answer.usage),
  });
  yield event('message_stop', {});
}

export function whole(answer, { model }) {
  const content = [];
  const append = (type, field, text) => {
    if (content.at(-1)?.type !== type) content.push({ type, [field]: '' });
    content.at(-1)[field] += text;
  };
  for (const step of answer.steps) {
    if (step.text) append('text', 'text', step.text);
    if (step.reasoning) append('thinking', 'thinking', step.reasoning);
    if (step.signature) content.at(-1).signature = thinkingSignature;
    if (step.call)
      content.push({
        type: 'tool_use',
        id: callId(step.call),
        name: step.call.name,
        input: step.call.args,
      });
  }
  return {
    ...emptyMessage(model),
    content,
    stop_reason: stopReasons[answer.finish],
    usage: usageOf(answer.usage),
  };
}

const emptyMessage = (model) => ({
  model: `claude-${model}`,
  id: 'msg_UPSTREAM0001',
  type: 'message',
  role: 'assistant',
  content: [],
  stop_reason: null,
  stop_sequence: null,
});

const callId = (call) => `toolu_Up0${call.mark ?? call.name}`;

const stopReasons = {
  stop: 'end_turn',
  length: 'max_tokens',
  tool_calls: 'tool_use',
  content_filter: 'refusal',
};

// Anthropic's input count leaves the cached tokens out.
const usageOf = ({ fresh, cacheRead, output, reasoning }, soFar = output) => ({
  input_tokens: fresh,
  ...(cacheRead === undefined
    ? {}
    : { cache_creation_input_tokens: 0, cache_read_input_tokens: cacheRead }),
  output_tokens: soFar,
  ...(reasoning === undefined ? {} : { output_tokens_details: { thinking_tokens: reasoning } }),
});

const overloaded = { type: 'overloaded_error', message: `Overloaded ${secretDetail}` };

const errors = {
  400: { type: 'invalid_request_error', message: 'messages.0: not understood' },
  401: { type: 'authentication_error', message: 'invalid x-api-key' },
  404: { type: 'not_found_error', message: 'model: no such model' },
  429: { type: 'rate_limit_error', message: 'This request would exceed your rate limit' },
  500: { type: 'api_error', message: `Internal server error: ${secretDetail}` },
};

export const failure = (status, complaint) => ({
  status,
  headers: status === 429 ? { 'retry-after': '1' } : {},
  body: {
    type: 'error',
    error: { ...errors[status], ...(complaint ? { message: complaint } : {}) },
    request_id: 'req_UPSTREAM0001',
  },
});
