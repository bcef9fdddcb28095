import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { generateText, streamText } from 'ai';

import { aiSdks, families, startWorld, test, userSays } from '../support/world.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

// The script `usage` costs every family the same tokens; Ollama cannot tell which were cached or
// thought.
const totals = { prompt_tokens: 1876, completion_tokens: 16, total_tokens: 1892 };

function assertUsage(usage, letter) {
  const { prompt_tokens, completion_tokens, total_tokens } = usage;
  assert.deepEqual({ prompt_tokens, completion_tokens, total_tokens }, totals);
  const known = letter !== 'l';
  assert.equal(usage.prompt_tokens_details?.cached_tokens, known ? 1792 : undefined);
  assert.equal(usage.completion_tokens_details?.reasoning_tokens, known ? 5 : undefined);
}

async function chunksOf(request) {
  const chunks = [];
  for await (const chunk of await world.openai.chat.completions.create({
    ...request,
    stream: true,
  }))
    chunks.push(chunk);
  return chunks;
}

for (const { letter, title } of families) {
  const request = { model: `${letter}/usage`, messages: userSays('Hi') };
  const asking = { ...request, stream_options: { include_usage: true } };

  test(`${title}: a stream that was not asked for usage has none`, async () => {
    const chunks = await chunksOf(request);
    assert.ok(chunks.every((chunk) => !('usage' in chunk)));
    assert.ok(chunks.every((chunk) => chunk.choices.length === 1));
    assert.equal(chunks.at(-1).choices[0].finish_reason, 'stop');
  });

  test(`${title}: usage comes last, in a chunk of its own, when asked for`, async () => {
    const chunks = await chunksOf(asking);
    const last = chunks.pop();
    assert.deepEqual(last.choices, []);
    assertUsage(last.usage, letter);
    assert.ok(chunks.every((chunk) => chunk.usage === null));
    assert.equal(chunks.at(-1).choices[0].finish_reason, 'stop');
  });

  test(`${title}: a whole answer always has usage, equal to the streamed one`, async () => {
    const { usage } = await world.openai.chat.completions.create(request);
    assertUsage(usage, letter);
    assert.deepEqual(usage, (await chunksOf(asking)).at(-1).usage);
  });

  test(`${title}: the stream helper ends with the usage`, async () => {
    const { usage } = await world.openai.chat.completions.stream(asking).finalChatCompletion();
    assertUsage(usage, letter);
  });

  for (const sdk of aiSdks)
    test(`${title}: ${sdk} counts the tokens, streamed and whole`, async () => {
      const question = {
        model: world.aiModels[sdk](`${letter}/usage`),
        prompt: 'Hi',
        maxRetries: 0,
      };
      const streamed = streamText(question);
      await streamed.consumeStream();
      for (const usage of [await streamed.usage, (await generateText(question)).usage]) {
        assert.equal(usage.inputTokens, totals.prompt_tokens);
        assert.equal(usage.outputTokens, totals.completion_tokens);
        if (letter !== 'l') assert.equal(usage.inputTokenDetails.cacheReadTokens, 1792);
      }
    });
}
