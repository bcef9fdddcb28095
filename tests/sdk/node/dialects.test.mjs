import assert from 'node:assert/strict';
import { once } from 'node:events';
import { readFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import { after, before } from 'node:test';

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import OpenAI from 'openai';

import { post, streamedFrames } from '../support/frames.mjs';
import { readWithoutRemainder } from '../support/readers.mjs';
import { openaiTools } from '../support/tools.mjs';
import { aiSdks, families, startWorld, test, userSays } from '../support/world.mjs';
import { textOf } from '../upstream/scripts.mjs';

let world;
let recorded;
before(async () => {
  world = await startWorld();
  recorded = await startRecorded();
});
after(async () => {
  await recorded?.stop();
  await world?.stop();
});

// Plays the specification's vector with a tool that the gateway runs, in the dialect that the path
// names.
async function startRecorded() {
  const golden = new URL('../../fixtures/golden/v05_server_tool/', import.meta.url);
  const server = createServer(async (request, response) => {
    const dialect = request.url.split('/')[1];
    response.setHeader('content-type', 'text/event-stream');
    response.end(await readFile(new URL(`${dialect}.sse`, golden)));
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const stop = () => new Promise((done) => server.close(done).closeAllConnections());
  return { url, stop };
}

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

test('frames about tools do not disturb a loop over choices[0]', async () => {
  const openai = new OpenAI({ baseURL: `${recorded.url}/agent`, apiKey: 'x', maxRetries: 0 });
  const stream = await openai.chat.completions.create({ ...question('m'), stream: true });
  const types = [];
  let text = '';
  for await (const chunk of stream) {
    if (chunk.type) types.push(chunk.type);
    text += chunk.choices[0].delta.content || '';
  }
  assert.equal(text, '0.01 gwei');
  assert.deepEqual(types, ['agent_text', 'tool_start', 'tool_trace']);
});

for (const dialect of sdkDialects) {
  const text = dialect === 'agent' ? '0.01 gwei' : 'let me look0.01 gwei';

  test(`frames about tools do not disturb the openai SDK's stream helper: ${dialect}`, async () => {
    const baseURL = `${recorded.url}/${dialect}`;
    const openai = new OpenAI({ baseURL, apiKey: 'x', maxRetries: 0 });
    const { choices } = await openai.chat.completions.stream(question('m')).finalChatCompletion();
    assert.equal(choices[0].message.content, text);
  });

  test(`frames about tools do not disturb the AI SDK: ${dialect}`, async () => {
    const client = { baseURL: `${recorded.url}/${dialect}`, apiKey: 'x' };
    for (const model of [
      createOpenAI(client).chat('m'),
      createOpenAICompatible({ ...client, name: 'recorded' })('m'),
    ]) {
      const { fullStream } = streamText({ model, prompt: 'Hi' });
      let shown = '';
      for await (const part of fullStream) {
        assert.notEqual(part.type, 'error', String(part.error));
        if (part.type === 'text-delta') shown += part.text;
      }
      assert.equal(shown, text);
    }
  });
}

test('a reader of frames with a type sees tools at work, bare or not', async () => {
  for (const dialect of ['agent', 'agent-raw']) {
    const shown = await readWithoutRemainder(await post(`${recorded.url}/${dialect}`, {}));
    assert.deepEqual(shown, {
      text: '0.01 gwei',
      events: ['agent_text', 'tool_start', 'tool_trace'],
    });
  }
});
