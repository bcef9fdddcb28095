// Ollama's own chat API: one JSON object per line, tool arguments as objects, errors as one string.

import { secretDetail } from './sse.mjs';

export const name = 'ollama';
export const headers = { 'content-type': 'application/x-ndjson' };

export function claims(path) {
  return path === '/api/chat';
}

export const isAuthorized = () => true;

export function read(body) {
  return {
    model: body.model,
    streams: body.stream !== false, // streaming is Ollama's default
    toolResults: body.messages.filter(({ role }) => role === 'tool').map(({ content }) => content),
    complaint: complaintAbout(body),
  };
}

function complaintAbout({ messages }) {
  for (const message of messages) {
    if (message.content !== undefined && typeof message.content !== 'string')
      return 'content must be a string';
    for (const call of message.tool_calls ?? [])
      if (call.function.arguments === null || typeof call.function.arguments !== 'object')
        return 'invalid tool call arguments';
  }
  return undefined;
}

const createdAt = '2026-01-01T10:00:00.123456Z';

export function* stream(answer, { model }) {
  const line = (fields, more = { done: false }) => {
    const message = { role: 'assistant', ...fields };
    return `${JSON.stringify({ model, created_at: createdAt, message, ...more })}\n`;
  };

  for (const step of answer.steps) {
    if (step.text) yield line({ content: step.text });
    if (step.reasoning) yield line({ content: '', thinking: step.reasoning });
    if (step.noise) yield line({ content: '' });
    if (step.call) yield line({ content: '', tool_calls: [callOf(step.call)] });
    if (step.fail) {
      yield `${JSON.stringify(failure(500).body)}\n`;
      return;
    }
    if (step.cut || step.wait) yield step;
  }
  yield line({ content: '' }, ending(answer));
}

export function whole(answer, { model }) {
  const joined = (kind) => answer.steps.map((step) => step[kind] ?? '').join('');
  const calls = answer.steps.filter((step) => step.call).map((step) => callOf(step.call));
  const message = {
    role: 'assistant',
    content: joined('text'),
    ...(joined('reasoning') ? { thinking: joined('reasoning') } : {}),
    ...(calls.length ? { tool_calls: calls } : {}),
  };
  return { model, created_at: createdAt, message, ...ending(answer) };
}

const callOf = ({ name: tool, args }) => ({ function: { name: tool, arguments: args } });

// Ollama has no word of its own for a tool turn or a filter.
const ending = ({ finish, usage }) => ({
  done: true,
  done_reason: finish === 'length' ? 'length' : 'stop',
  total_duration: 482007750,
  load_duration: 52719542,
  prompt_eval_count: usage.fresh + (usage.cacheRead ?? 0),
  prompt_eval_duration: 44457208,
  eval_count: usage.output,
  eval_duration: 384000000,
});

const errors = {
  400: 'invalid message format',
  401: 'unauthorized',
  404: "model 'x' not found",
  429: 'too many requests',
  500: `llama runner process has terminated: ${secretDetail}`,
};

export const failure = (status, complaint) => ({
  status,
  headers: {},
  body: { error: complaint ?? errors[status] },
});
