import assert from 'node:assert/strict';
import { test } from 'node:test';

import { DialectReader } from '../src/stream/dialects';
import { FrameReader, framesOfText } from '../src/stream/sse';
import { type Step, StepList } from '../src/stream/steps';

const chunk = (more: object) => `data: ${JSON.stringify({ id: 'chatcmpl-T', object: 'chat.completion.chunk', ...more })}\n\n`;
const delta = (fields: object, finish: string | null = null) => ({ choices: [{ index: 0, delta: fields, finish_reason: finish }] });

function stepsOf(stream: string): StepList {
  const list = new StepList();
  const reader = new DialectReader();
  for (const { data, ms } of framesOfText(stream)) if (data !== undefined) for (const event of reader.read(data, ms)) list.add(event);
  return list;
}

// What is told the same way in every dialect: kinds and words, without times.
const told = (list: StepList) =>
  list.steps.map((step: Step) => {
    if ('text' in step) return [step.kind, step.text];
    if (step.kind === 'tool') return ['tool', step.name, step.arguments, step.state, step.result];
    if (step.kind === 'call') return ['call', step.name, step.arguments, step.done];
    return step.kind === 'finish' ? ['finish', step.reason] : step.kind === 'error' ? ['error', step.code] : [step.kind];
  });

test('frames are the same wherever the bytes are cut', () => {
  const stream = ': ping\n\ndata: {"a":1}\n\ndata: [DONE]\r\n\r\n';
  const whole = framesOfText(stream).map(({ raw, data }) => [raw, data]);
  assert.deepEqual(whole, [[': ping', undefined], ['data: {"a":1}', '{"a":1}'], ['data: [DONE]', '[DONE]']]);
  for (let cut = 0; cut <= stream.length; cut += 1) {
    const reader = new FrameReader();
    const cutInTwo = [...reader.take(stream.slice(0, cut), 0), ...reader.take(stream.slice(cut), 1)];
    assert.deepEqual(cutInTwo.map(({ raw, data }) => [raw, data]), whole, `cut at ${cut}`);
  }
});

test('a tool of the gateway’s is one step, in timeline and in agent', () => {
  const timeline = stepsOf(
    chunk(delta({ role: 'assistant', content: 'let me look' })) +
      ['Created', 'Running', 'Completed'].map((state) => {
        const result = state === 'Completed' ? { result: { gwei: '0.01' } } : {};
        return chunk({ choices: [], servertool: { name: 'gas', id: 'srv_1', contents: '{"chain":"base"}', state, ...result } });
      }).join('') +
      chunk(delta({ content: '0.01 ' })) + chunk(delta({ content: 'gwei' })) +
      chunk({ ...delta({}, 'stop'), usage: { prompt_tokens: 55, completion_tokens: 10, total_tokens: 65 } }) + 'data: [DONE]\n\n',
  );
  const agent = stepsOf(
    chunk({ ...delta({}), type: 'agent_text', content: 'let me look' }) +
      chunk({ ...delta({}), type: 'tool_start', tool: 'gas', args: { chain: 'base' }, call_id: 'srv_1' }) +
      chunk({ ...delta({}), type: 'tool_trace', tool: 'gas', ok: true, result: { gwei: '0.01' }, call_id: 'srv_1' }) +
      chunk(delta({ role: 'assistant', content: '0.01 gwei' })) + chunk(delta({}, 'stop')) + 'data: [DONE]\n\n',
  );
  const raw = stepsOf(
    `data: {"type":"agent_text","content":"let me look"}\n\ndata: {"type":"tool_start","tool":"gas","args":{"chain":"base"}}\n\n` +
      `data: {"type":"tool_trace","tool":"gas","ok":true,"result":{"gwei":"0.01"}}\n\n` +
      chunk(delta({ content: '0.01 gwei' })) + chunk(delta({}, 'stop')) + 'data: [DONE]\n\n',
  );
  const expected = [
    ['text', 'let me look'], ['tool', 'gas', '{"chain":"base"}', 'completed', '{"gwei":"0.01"}'], ['text', '0.01 gwei'], ['finish', 'stop'],
  ];
  for (const list of [timeline, agent, raw]) {
    assert.deepEqual(told(list), expected);
    assert.equal(list.ended, true);
  }
  assert.deepEqual(timeline.usage, { fresh_input: 55, output: 10 });
});

test('a call to the client’s tool is whole once it is finished, in pieces or at once', () => {
  const call = (fields: object) => chunk(delta({ tool_calls: [{ index: 0, ...fields }] }));
  const end = chunk(delta({}, 'tool_calls')) + 'data: [DONE]\n\n';
  const pieces = call({ id: 'c1', type: 'function', function: { name: 'weather', arguments: '' } }) +
    call({ function: { arguments: '{"city":"Osl' } }) + call({ function: { arguments: 'o"}' } }) + end;
  const whole = call({ id: 'c1', type: 'function', function: { name: 'weather', arguments: '{"city":"Oslo"}' } }) + end;
  for (const stream of [pieces, whole])
    assert.deepEqual(told(stepsOf(stream)), [['call', 'weather', '{"city":"Oslo"}', true], ['finish', 'tool_calls']]);
});

test('a failure is an error, with a finish beside it or alone', () => {
  const error = { error: { message: 'broke', code: 'upstream_failed' } };
  const text = chunk(delta({ content: 'half' }));
  const timeline = text + chunk({ ...delta({ content: '' }, 'error'), ...error }) + 'data: [DONE]\n\n';
  const openai = `${text}data: ${JSON.stringify(error)}\n\ndata: [DONE]\n\n`;
  for (const stream of [timeline, openai]) assert.deepEqual(told(stepsOf(stream)), [['text', 'half'], ['error', 'upstream_failed']]);
  assert.deepEqual(told(stepsOf('data: {oops\n\n')), [['error', 'malformed_frame']]);
});

test('tokens from a cache are told apart where they are among the prompt’s, and where not', () => {
  const usage = (counts: object) => stepsOf(chunk({ choices: [], usage: counts })).usage;
  const details = { prompt_tokens_details: { cached_tokens: 40 } };
  assert.equal(usage({ prompt_tokens: 100, completion_tokens: 5, total_tokens: 105, ...details })?.fresh_input, 60);
  assert.equal(usage({ prompt_tokens: 60, completion_tokens: 5, total_tokens: 105, ...details })?.fresh_input, 60);
});
