// Anthropic's Messages API, as its own SDK and the AI SDK's provider for it speak it, with each provider behind it.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { createAnthropic } from '@ai-sdk/anthropic';
import Anthropic from '@anthropic-ai/sdk';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

import { families, startWorld, test, userSays } from '../support/world.mjs';
import { reasoningText, textOf, thinkingSignature } from '../upstream/scripts.mjs';

let world;
let anthropic;
let aiModel;
before(async () => {
  world = await startWorld();
  anthropic = new Anthropic({
    baseURL: world.baseURL.replace(/\/v1$/, ''),
    apiKey: 'not-needed',
    maxRetries: 0,
    timeout: 20_000,
  });
  aiModel = createAnthropic({ baseURL: world.baseURL, apiKey: 'not-needed' });
});
after(() => world?.stop());

const requestFor = (model, more = {}) => ({
  model,
  max_tokens: 500,
  messages: userSays('Hi'),
  ...more,
});

const tools = ['get_weather', 'get_time', 'get_nothing'].map((name) => ({
  name,
  description: name,
  input_schema: { type: 'object', properties: { city: { type: 'string' } } },
}));

const textIn = (message) =>
  message.content
    .filter((block) => block.type === 'text')
    .map((block) => block.text)
    .join('');

// Asks until no more tools are called; each result is the call's input.
async function converse(model, more = {}) {
  const messages = userSays('Go on.');
  const answers = [];
  for (;;) {
    const answer = await anthropic.messages
      .stream({ ...requestFor(model, more), messages, tools })
      .finalMessage();
    answers.push(answer);
    const calls = answer.content.filter((block) => block.type === 'tool_use');
    if (calls.length === 0) return answers;
    const results = calls.map((call) => ({
      type: 'tool_result',
      tool_use_id: call.id,
      content: [{ type: 'text', text: JSON.stringify(call.input) }],
    }));
    messages.push({ role: 'assistant', content: answer.content });
    messages.push({ role: 'user', content: results });
  }
}

for (const { letter, title } of families) {
  test(`${title}: Anthropic's SDK reads the same streamed and whole`, async () => {
    for (const script of ['text', 'escapes', 'utf8', 'pings']) {
      const whole = await anthropic.messages.create(requestFor(`${letter}/${script}`));
      const streamed = await anthropic.messages
        .stream(requestFor(`${letter}/${script}`))
        .finalMessage();
      const expected = script === 'pings' ? textOf('text') : textOf(script);
      assert.equal(textIn(whole), expected);
      assert.equal(textIn(streamed), expected);
      assert.equal(whole.stop_reason, 'end_turn');
      assert.equal(streamed.stop_reason, 'end_turn');
      assert.ok(whole.id.startsWith('msg_') && !whole.id.includes('UPSTREAM'));
      assert.equal(streamed.usage.output_tokens, whole.usage.output_tokens);
    }
  });

  test(`${title}: tools are called one after the other`, async () => {
    const answers = await converse(`${letter}/tool-loop`);
    assert.equal(answers.length, 3);
    assert.equal(answers[0].stop_reason, 'tool_use');
    assert.match(textIn(answers[2]), /^The tools said: .*Lima.* \| .*UTC-5.*\.$/);
  });

  test(`${title}: tools are called at once`, async () => {
    const answers = await converse(`${letter}/tool-parallel`);
    assert.equal(answers.length, 2);
    const calls = answers[0].content.filter((block) => block.type === 'tool_use');
    assert.deepEqual(
      calls.map(({ name, input }) => ({ name, input })),
      [
        { name: 'get_weather', input: { city: 'Oslo' } },
        { name: 'get_time', input: { zone: 'UTC+1 "Berlin"' } },
      ],
    );
    assert.match(textIn(answers[1]), /Oslo.* \| .*Berlin/);
  });

  test(`${title}: thinking comes before the answer`, async () => {
    const thinking = { type: 'enabled', budget_tokens: 1024 };
    const answer = await anthropic.messages
      .stream(requestFor(`${letter}/reasoning`, { thinking, max_tokens: 2048 }))
      .finalMessage();
    assert.equal(answer.content[0].type, 'thinking');
    assert.equal(answer.content[0].thinking, reasoningText);
    assert.equal(textIn(answer), textOf('reasoning'));
    if (letter === 'c') assert.equal(answer.content[0].signature, thinkingSignature);
  });

  test(`${title}: errors are those of the SDK`, async () => {
    const failing = (script) => anthropic.messages.create(requestFor(`${letter}/${script}`));
    await assert.rejects(failing('error-400'), Anthropic.BadRequestError);
    await assert.rejects(failing('error-429'), Anthropic.RateLimitError);
    await assert.rejects(failing('error-500'), Anthropic.InternalServerError);
    await assert.rejects(failing('no-such-model'), Anthropic.NotFoundError);
    const broken = anthropic.messages.stream(requestFor(`${letter}/error-midstream`));
    await assert.rejects(broken.finalMessage(), Anthropic.APIError);
  });

  test(`${title}: the AI SDK's provider streams, thinks and runs tools`, async () => {
    const model = aiModel(`${letter}/text`);
    const streamed = streamText({ model, prompt: 'Hi', maxRetries: 0 });
    let text = '';
    for await (const delta of streamed.textStream) text += delta;
    assert.equal(text, textOf('text'));
    const generated = await generateText({ model, prompt: 'Hi', maxRetries: 0 });
    assert.equal(generated.text, textOf('text'));

    const echo = (name) =>
      tool({
        description: name,
        inputSchema: z.object({ city: z.string().optional(), zone: z.string().optional() }),
        execute: async (input) => JSON.stringify(input),
      });
    const looped = await generateText({
      model: aiModel(`${letter}/tool-loop`),
      prompt: 'Go on.',
      maxRetries: 0,
      stopWhen: stepCountIs(5),
      tools: { get_weather: echo('weather'), get_time: echo('time') },
    });
    assert.equal(looped.steps.length, 3);
    assert.match(looped.text, /Lima.*UTC-5/);
  });
}

test('thinking goes back to Anthropic with its signature, and to nobody else', async () => {
  const thinking = { type: 'enabled', budget_tokens: 1024 };
  const asked = { thinking, max_tokens: 2048 };
  const toAnthropic = await world.imposter.during(() => converse('c/tool-think', asked));
  const blocks = toAnthropic[1].body.messages[1].content;
  assert.equal(blocks[0].type, 'thinking');
  assert.equal(blocks[0].signature, thinkingSignature);

  const [answer] = await converse('c/tool-think', asked);
  const messages = [...userSays('Hi'), { role: 'assistant', content: answer.content }];
  const call = answer.content.find((block) => block.type === 'tool_use');
  messages.push({
    role: 'user',
    content: [{ type: 'tool_result', tool_use_id: call.id, content: 'fine' }],
  });
  for (const letter of ['o', 'g', 'l']) {
    const [sent] = await world.imposter.during(() =>
      // The imposter plays a Gemini that takes no calls but its own.
      anthropic.messages.create({ ...requestFor(`${letter}/text`), messages, tools }).catch(() => {}),
    );
    assert.ok(!JSON.stringify(sent.body).includes(thinkingSignature), letter);
  }
});

test('what only Anthropic knows goes to Anthropic, and to nobody else', async () => {
  const more = { context_management: { edits: [] }, metadata: { user_id: 'u1' } };
  const options = { headers: { 'anthropic-beta': 'context-management-2025-06-27,other-2026' } };
  for (const { letter } of families) {
    const [sent] = await world.imposter.during(() =>
      anthropic.messages.create(requestFor(`${letter}/text`, more), options),
    );
    const isAnthropic = letter === 'c';
    assert.equal(sent.headers['anthropic-beta'], isAnthropic ? options.headers['anthropic-beta'] : undefined);
    assert.deepEqual(sent.body.context_management, isAnthropic ? { edits: [] } : undefined);
  }
});

test("Anthropic's own words for an error come through", async () => {
  await assert.rejects(anthropic.messages.create(requestFor('c/error-400')), (error) => {
    assert.equal(error.status, 400);
    assert.equal(error.error.error.type, 'invalid_request_error');
    assert.equal(error.error.error.message, 'messages.0: not understood');
    assert.ok(error.requestID);
    return true;
  });
});

test('tokens are counted before anything is asked', async () => {
  const { data, response } = await anthropic.messages
    .countTokens({ model: 'o/text', messages: userSays('How many words are there?') })
    .withResponse();
  assert.ok(Number.isInteger(data.input_tokens) && data.input_tokens > 3);
  assert.equal(response.headers.get('x-gateway-warnings'), 'estimated_tokens');
});

test('the models are listed page by page', async () => {
  const listed = [];
  for await (const model of anthropic.models.list({ limit: 2 })) listed.push(model);
  assert.ok(listed.length > 4);
  assert.equal(new Set(listed.map((model) => model.id)).size, listed.length);
  assert.ok(listed.some((model) => model.id === 'rounds-o' && model.type === 'model'));
  const one = await anthropic.models.retrieve('rounds-c');
  assert.equal(one.id, 'rounds-c');
  await assert.rejects(anthropic.models.list({ after_id: 'nobody' }), Anthropic.BadRequestError);
});
