// Runnel's own models: everything here works without any provider.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { stepCountIs, streamText } from 'ai';
import { APIError } from 'openai';

import { framesOf, streamedBytes } from '../support/frames.mjs';
import { assertFits } from '../support/schema.mjs';
import { aiTools, openaiTools, runnableTools } from '../support/tools.mjs';
import { aiSdks, startBareWorld, test, userSays } from '../support/world.mjs';

let world;
before(async () => (world = await startBareWorld()));
after(() => world?.stop());

const names = [
  ...['echo', 'text', 'reasoning', 'tools', 'parallel-tools', 'agent', 'slow'],
  ...['error-before', 'error-midstream', 'length', 'filter'],
];

const create = (request) => world.openai.chat.completions.create(request);

const question = 'One two three';

async function streamed(model) {
  const read = { text: '', reasoning: '', finish: undefined, problem: undefined };
  try {
    const request = { model, messages: userSays(question), stream: true };
    for await (const { choices } of await create(request)) {
      read.text += choices[0].delta.content ?? '';
      read.reasoning += choices[0].delta.reasoning_content ?? '';
      read.finish ??= choices[0].finish_reason;
    }
  } catch (problem) {
    read.problem = problem;
  }
  return read;
}

test('demo/echo repeats the last user message', async () => {
  const { text, finish } = await streamed('demo/echo');
  assert.equal(text.trim(), question);
  assert.equal(finish, 'stop');
});

for (const model of ['demo/echo', 'demo/text', 'demo/reasoning', 'demo/length', 'demo/filter'])
  test(`${model} says the same twice, streamed and whole`, async () => {
    const first = await streamed(model);
    assert.deepEqual(await streamed(model), first);
    const whole = await create({ model, messages: userSays(question) });
    const { message, finish_reason } = whole.choices[0];
    assert.equal(message.content ?? '', first.text);
    assert.equal(message.reasoning_content ?? '', first.reasoning);
    assert.equal(finish_reason, first.finish);
  });

test('demo/reasoning thinks before it speaks', async () => {
  const { text, reasoning } = await streamed('demo/reasoning');
  assert.ok(reasoning && text);
});

test('demo/length and demo/filter end as they are called', async () => {
  assert.equal((await streamed('demo/length')).finish, 'length');
  assert.equal((await streamed('demo/filter')).finish, 'content_filter');
});

test('demo/tools calls a tool it is given and answers from the result', async () => {
  // One tool with one answer, whatever the arguments.
  const [{ function: weather }] = runnableTools;
  const tools = [
    { type: 'function', function: { ...weather, function: () => 'seventeen degrees' } },
  ];
  const runner = world.openai.chat.completions.runTools({
    model: 'demo/tools',
    messages: userSays('What is the weather in Oslo?'),
    tools,
    stream: true,
  });
  assert.match(await runner.finalContent(), /seventeen degrees/);
});

test('demo/parallel-tools calls two tools at once', async () => {
  const request = {
    model: 'demo/parallel-tools',
    messages: userSays('Hi'),
    tools: openaiTools.slice(0, 2),
  };
  const { tool_calls: calls } = await world.openai.chat.completions.stream(request).finalMessage();
  assert.equal(calls.length, 2);
  assert.equal(new Set(calls.map((call) => call.id)).size, 2);
  for (const call of calls) JSON.parse(call.function.arguments);
});

for (const sdk of aiSdks)
  test(`${sdk} drives demo/tools to an answer`, async () => {
    const { get_weather } = aiTools;
    const tools = { get_weather: { ...get_weather, execute: async () => 'seventeen degrees' } };
    const model = world.aiModels[sdk]('demo/tools');
    const result = streamText({
      model,
      prompt: 'The weather in Oslo?',
      tools,
      stopWhen: stepCountIs(4),
      maxRetries: 0,
    });
    await result.consumeStream();
    assert.match(await result.text, /seventeen degrees/);
  });

test('demo/error-before raises with an HTTP status', async () => {
  const { problem } = await streamed('demo/error-before');
  assert.ok(problem instanceof APIError, `${problem}`);
  assert.ok(problem.status >= 400);
});

test('demo/error-midstream speaks, then raises without a status', async () => {
  const { text, problem } = await streamed('demo/error-midstream');
  assert.ok(text);
  assert.ok(problem instanceof APIError, `${problem}`);
  assert.equal(problem.status, undefined);
});

test('demo/slow can be left in the middle', async () => {
  const request = { model: 'demo/slow', messages: userSays('Hi'), stream: true };
  for await (const { choices } of await create(request)) if (choices[0].delta.content) return;
  assert.fail('no text came');
});

test('every frame of every demo model fits the schema', async () => {
  for (const name of names.filter((each) => !['slow', 'error-before'].includes(each))) {
    const request = { model: `demo/${name}`, messages: userSays('Hi'), tools: openaiTools };
    framesOf(await streamedBytes(world.baseURL, request)).forEach(assertFits);
  }
});

test('the models list names the demo models, by ids that can be fetched', async () => {
  const ids = [];
  for await (const model of world.openai.models.list()) ids.push(model.id);
  for (const name of names) assert.ok(ids.includes(`demo/${name}`), `demo/${name} in ${ids}`);
  assert.equal((await world.openai.models.retrieve('demo/text')).id, 'demo/text');
});
