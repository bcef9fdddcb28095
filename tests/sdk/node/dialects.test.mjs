import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { streamText } from 'ai';
import OpenAI from 'openai';

import { post, streamedFrames } from '../support/frames.mjs';
import { readWithoutRemainder } from '../support/readers.mjs';
import { openaiTools } from '../support/tools.mjs';
import { aiSdks, families, startWorld, test, userSays } from '../support/world.mjs';
import { textOf } from '../upstream/scripts.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const sdkDialects = ['timeline', 'agent'];
const question = (model) => ({ model, messages: userSays('Hi') });

for (const dialect of sdkDialects) {
  for (const { letter, title } of families) {
    test(`${title}: the openai SDK's stream helper puts an answer together, in ${dialect}`, async () => {
      for (const script of ['text', 'utf8', 'empty']) {
        const stream = world.openai.chat.completions.stream({
          ...question(`${letter}/${script}`),
          stream_dialect: dialect,
        });
        const { choices } = await stream.finalChatCompletion();
        assert.equal(choices[0].message.content ?? '', script === 'empty' ? '' : textOf(script));
        assert.equal(choices[0].message.role, 'assistant');
        assert.equal(choices[0].finish_reason, 'stop');
      }
    });

    test(`${title}: the openai SDK's stream helper finds both calls, in ${dialect}`, async () => {
      const stream = world.openai.chat.completions.stream({
        ...question(`${letter}/tool-parallel`),
        tools: openaiTools,
        stream_dialect: dialect,
      });
      const { choices } = await stream.finalChatCompletion();
      assert.equal(choices[0].finish_reason, 'tool_calls');
      const calls = choices[0].message.tool_calls;
      assert.equal(calls.length, 2);
      for (const call of calls) JSON.parse(call.function.arguments);
    });

    for (const sdk of aiSdks)
      test(`${title}: ${sdk} reads ${dialect}`, async () => {
        const { textStream, finishReason } = streamText({
          model: world.aiModels[sdk](`${letter}/text`),
          prompt: 'Hi',
          headers: { 'X-Stream-Dialect': dialect },
        });
        let text = '';
        for await (const piece of textStream) text += piece;
        assert.equal(text, textOf('text'));
        assert.equal(await finishReason, 'stop');
      });
  }
}

test('a failing answer is an error to the openai SDK in every dialect', async () => {
  for (const dialect of ['openai', 'timeline', 'agent', 'agent-raw'])
    await assert.rejects(async () => {
      const stream = await world.openai.chat.completions.create({
        ...question('o/error-midstream'),
        stream: true,
        stream_dialect: dialect,
      });
      for await (const chunk of stream) assert.ok(chunk.choices[0].delta);
    }, OpenAI.APIError);
});

test('a reader without remainder shows every dialect of an answer', async () => {
  for (const stream_dialect of ['openai', 'timeline', 'agent', 'agent-raw']) {
    const asking = { ...question('c/text'), stream: true, stream_dialect };
    const shown = await readWithoutRemainder(await post(world.baseURL, asking));
    assert.deepEqual(shown, { text: textOf('text'), events: [] });
  }
});

test('a timeline has reasoning under its own name, in its place', async () => {
  const asking = { ...question('c/reasoning'), stream_dialect: 'timeline' };
  const deltas = (await streamedFrames(world.baseURL, asking)).map(
    (frame) => frame.choices[0].delta,
  );
  assert.ok(deltas[0].reasoning);
  assert.ok(deltas.findIndex((delta) => delta.content) > 0);
});
