// What the providers are sent.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { openaiTools, timeIn, weatherIn } from '../support/tools.mjs';
import { startWorld, test, userSays } from '../support/world.mjs';
import { signatureOf } from '../upstream/gemini.mjs';
import { thinkingSignature } from '../upstream/scripts.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const create = (request) => world.openai.chat.completions.create(request);

// A tool turn and the reply to it, with the results of parallel calls in reverse order: the two
// requests that the upstream got.
async function roundTrip(model, more = {}) {
  const messages = [{ role: 'system', content: 'Be brief.' }, ...userSays('Use your tools.')];
  const request = { model, messages, tools: openaiTools, ...more };
  return world.imposter.during(async () => {
    const turn = await world.openai.chat.completions.stream(request).finalMessage();
    const results = turn.tool_calls.map((call) => ({
      role: 'tool',
      tool_call_id: call.id,
      content: call.function.name === 'get_time' ? timeIn('Berlin') : weatherIn('Oslo'),
    }));
    // A client that keeps only what OpenAI's types name: no reasoning, no signature.
    const plain = { role: 'assistant', content: turn.content, tool_calls: turn.tool_calls };
    await create({ ...request, messages: [...messages, plain, ...results.reverse()] });
  });
}

test('OpenAI-like: usage is asked for although the client did not', async () => {
  const [sent] = await world.imposter.during(async () => {
    const stream = await create({ model: 'o/text', messages: userSays('Hi'), stream: true });
    for await (const _ of stream);
  });
  assert.deepEqual(sent.body.stream_options, { include_usage: true });
  assert.equal(sent.body.model, 'text');
});

test('OpenAI-like: fields that Runnel does not know travel on unchanged', async () => {
  const [sent] = await world.imposter.during(() =>
    create({
      model: 'o/text',
      messages: userSays('Hi'),
      top_k: 7,
      vendor_switch: { deep: [1, 'é'] },
    }),
  );
  assert.equal(sent.body.top_k, 7);
  assert.deepEqual(sent.body.vendor_switch, { deep: [1, 'é'] });
});

test('OpenAI-like: call ids go there and back unchanged', async () => {
  const [, second] = await roundTrip('o/tool-parallel');
  const [, , turn, ...results] = second.body.messages;
  assert.deepEqual(
    turn.tool_calls.map((call) => call.id),
    ['call_Up0get_weather', 'call_Up0get_time'],
  );
  assert.deepEqual(
    new Set(results.map((result) => result.tool_call_id)),
    new Set(turn.tool_calls.map(({ id }) => id)),
  );
});

test('Anthropic: the system text is lifted out and max_tokens is set', async () => {
  const [first] = await roundTrip('c/tool-one');
  const { system, messages, max_tokens, tools } = first.body;
  assert.equal(
    [system]
      .flat()
      .map((block) => block.text ?? block)
      .join(''),
    'Be brief.',
  );
  assert.ok(messages.every(({ role }) => role !== 'system'));
  assert.ok(max_tokens > 0);
  assert.deepEqual(tools[0].input_schema, openaiTools[0].function.parameters);
});

test('Anthropic: one user turn holds all tool results, in the order of the calls', async () => {
  const [, second] = await roundTrip('c/tool-parallel');
  const [, turn, reply, ...rest] = second.body.messages;
  assert.deepEqual(rest, []);
  const calls = turn.content.filter((block) => block.type === 'tool_use');
  assert.deepEqual(
    calls.map((call) => call.id),
    ['toolu_Up0get_weather', 'toolu_Up0get_time'],
  );
  assert.deepEqual(calls[0].input, { city: 'Oslo' });
  assert.equal(reply.role, 'user');
  assert.deepEqual(
    reply.content.map((block) => [block.type, block.tool_use_id]),
    [
      ['tool_result', 'toolu_Up0get_weather'],
      ['tool_result', 'toolu_Up0get_time'],
    ],
  );
});

test('Anthropic: signed thinking returns although the client dropped it', async () => {
  const [first, second] = await roundTrip('c/tool-think', { reasoning_effort: 'low' });
  assert.ok(first.body.thinking, 'the effort switched thinking on');
  const [block] = second.body.messages[1].content;
  assert.equal(block.type, 'thinking');
  assert.equal(block.thinking, 'I need the weather.');
  assert.equal(block.signature, thinkingSignature);
});

test('Gemini: the results name their functions and follow the signed call', async () => {
  const [first, second] = await roundTrip('g/tool-parallel');
  assert.deepEqual(first.body.systemInstruction.parts, [{ text: 'Be brief.' }]);
  const [, turn, reply] = second.body.contents;
  const calls = turn.parts.filter((part) => part.functionCall);
  assert.deepEqual(
    calls.map((part) => part.thoughtSignature),
    [signatureOf('get_weather'), undefined],
  );
  assert.deepEqual(calls[0].functionCall.args, { city: 'Oslo' });
  assert.equal(reply.role, 'user');
  const responses = reply.parts.map((part) => part.functionResponse);
  assert.deepEqual(
    responses.map((response) => response.name),
    ['get_weather', 'get_time'],
  );
  assert.ok(JSON.stringify(responses[0].response).includes(weatherIn('Oslo')));
});

test('Gemini: a schema with keys that Google refuses is cleaned', async () => {
  const parameters = {
    $schema: 'http://json-schema.org/draft-07/schema#',
    type: 'object',
    properties: { city: { type: 'string' } },
    additionalProperties: false,
  };
  const tools = [
    { type: 'function', function: { name: 'get_weather', parameters, strict: false } },
  ];
  const [sent] = await world.imposter.during(() =>
    create({ model: 'g/text', messages: userSays('Hi'), tools }),
  );
  assert.equal(sent.body.tools[0].functionDeclarations[0].name, 'get_weather');
});

test('Ollama: arguments go back as an object and the result names its tool', async () => {
  const [first, second] = await roundTrip('l/tool-parallel');
  assert.equal(first.body.tools.length, openaiTools.length);
  const [, , turn, ...results] = second.body.messages;
  assert.deepEqual(turn.tool_calls[0].function.arguments, { city: 'Oslo' });
  assert.deepEqual(
    results.map((result) => result.role),
    ['tool', 'tool'],
  );
  assert.deepEqual(
    new Set(results.map((result) => result.tool_name)),
    new Set(['get_weather', 'get_time']),
  );
});

test('sampling settings arrive under the names that each provider gives them', async () => {
  const sampling = { temperature: 0.5, max_tokens: 77, stop: ['END'] };
  const sent = await world.imposter.during(async () => {
    for (const letter of ['o', 'c', 'g', 'l'])
      await create({ model: `${letter}/text`, messages: userSays('Hi'), ...sampling });
  });
  const [o, c, g, l] = sent.map(({ body }) => body);
  assert.deepEqual(
    [o.temperature, o.max_tokens ?? o.max_completion_tokens, [o.stop].flat()],
    [0.5, 77, ['END']],
  );
  assert.deepEqual([c.temperature, c.max_tokens, c.stop_sequences], [0.5, 77, ['END']]);
  const config = g.generationConfig;
  assert.deepEqual(
    [config.temperature, config.maxOutputTokens, config.stopSequences],
    [0.5, 77, ['END']],
  );
  assert.deepEqual(
    [l.options.temperature, l.options.num_predict, l.options.stop],
    [0.5, 77, ['END']],
  );
});

test('no request of a client carries its own key upstream', async () => {
  const sent = await world.imposter.during(async () => {
    for (const letter of ['o', 'c', 'g', 'l'])
      await create({ model: `${letter}/text`, messages: userSays('Hi') });
  });
  assert.equal(sent.length, 4);
  for (const { headers, url } of sent) {
    assert.doesNotMatch(JSON.stringify([headers, url]), /not-needed/);
    assert.equal(headers['accept-encoding'], 'identity');
  }
});
