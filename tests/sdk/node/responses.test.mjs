// OpenAI's Responses API: the openai package's `responses` and `conversations`, and what
// @ai-sdk/openai speaks by itself.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { createOpenAI } from '@ai-sdk/openai';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

import { families, startWorld, test } from '../support/world.mjs';
import { textOf } from '../upstream/scripts.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const responses = () => world.openai.responses;
const weatherTool = {
  type: 'function',
  name: 'get_weather',
  strict: null,
  parameters: { type: 'object', properties: { city: { type: 'string' } }, required: ['city'] },
};

async function ended(id) {
  for (;;) {
    const response = await responses().retrieve(id);
    if (!['queued', 'in_progress'].includes(response.status)) return response;
    await new Promise((resolve) => setTimeout(resolve, 20));
  }
}

for (const { letter, title } of families) {
  test(`${title}: a response reads the same streamed and whole`, async () => {
    const request = { model: `${letter}/text`, input: 'Hi' };
    assert.equal((await responses().create(request)).output_text, textOf('text'));
    const stream = responses().stream(request);
    let text = '';
    stream.on('response.output_text.delta', ({ delta }) => (text += delta));
    const final = await stream.finalResponse();
    assert.equal(text, textOf('text'));
    assert.equal(final.output_text, textOf('text'));
    assert.equal(final.status, 'completed');
  });

  test(`${title}: a call and its result go on from a stored response`, async () => {
    const request = { model: `${letter}/tool-one`, tools: [weatherTool] };
    const first = await responses().create({ ...request, input: 'How is Oslo?' });
    const call = first.output.find(({ type }) => type === 'function_call');
    assert.equal(call.name, 'get_weather');
    const result = { type: 'function_call_output', call_id: call.call_id, output: '7 degrees' };
    const second = await responses().create({
      ...request,
      previous_response_id: first.id,
      input: [result],
    });
    assert.match(second.output_text, /7 degrees/);
    assert.equal(second.previous_response_id, first.id);
  });

  test(`${title}: the AI SDK's own API runs a tool and goes on`, async () => {
    const model = createOpenAI({ baseURL: world.baseURL, apiKey: 'not-needed' })(
      `${letter}/tool-one`,
    );
    const asked = {
      model,
      prompt: 'How is Oslo?',
      stopWhen: stepCountIs(3),
      tools: {
        get_weather: tool({
          inputSchema: z.object({ city: z.string() }),
          execute: async () => '7 degrees',
        }),
      },
    };
    assert.match((await generateText(asked)).text, /7 degrees/);
    assert.match(await streamText(asked).text, /7 degrees/);
  });
}

test('a conversation keeps its turns', async () => {
  const conversation = await world.openai.conversations.create({
    metadata: { topic: 'x' },
    items: [{ type: 'message', role: 'user', content: 'Be brief.' }],
  });
  const request = { model: 'o/text', conversation: conversation.id };
  const [, sent] = await world.imposter.during(async () => {
    await responses().create({ ...request, input: 'One' });
    const second = await responses().create({ ...request, input: 'Two' });
    assert.equal(second.conversation.id, conversation.id);
  });
  assert.deepEqual(
    sent.body.messages.map(({ role }) => role),
    ['user', 'user', 'assistant', 'user'],
  );
  const items = [];
  for await (const item of world.openai.conversations.items.list(conversation.id, {
    order: 'asc',
    limit: 2,
  }))
    items.push(item);
  assert.deepEqual(
    items.map(({ role }) => role),
    ['user', 'user', 'assistant', 'user', 'assistant'],
  );
  const item = await world.openai.conversations.items.retrieve(items[0].id, {
    conversation_id: conversation.id,
  });
  assert.deepEqual(item, items[0]);
  await world.openai.conversations.items.delete(items[0].id, { conversation_id: conversation.id });
  const deleted = await world.openai.conversations.delete(conversation.id);
  assert.equal(deleted.deleted, true);
});

test('a response in the background is polled, and its stream goes on where it broke', async () => {
  const begun = await responses().create({ model: 'o/text', input: 'Hi', background: true });
  assert.ok(['queued', 'in_progress'].includes(begun.status));
  assert.equal((await ended(begun.id)).output_text, textOf('text'));

  const stream = await responses().create({
    model: 'o/text',
    input: 'Hi',
    background: true,
    stream: true,
  });
  const seen = [];
  for await (const event of stream) {
    seen.push(event);
    if (event.type === 'response.output_item.added') break;
  }
  const rest = await responses().retrieve(seen[0].response.id, {
    stream: true,
    starting_after: seen.at(-1).sequence_number,
  });
  for await (const event of rest) seen.push(event);
  assert.deepEqual(
    seen.map(({ sequence_number }) => sequence_number),
    seen.map((_, index) => index),
  );
  assert.equal(seen.at(-1).type, 'response.completed');
});

test('a response in the background is cancelled', async () => {
  const begun = await responses().create({ model: 'o/endless', input: 'Hi', background: true });
  assert.equal((await responses().cancel(begun.id)).status, 'cancelled');
  assert.equal((await ended(begun.id)).status, 'cancelled');
});
