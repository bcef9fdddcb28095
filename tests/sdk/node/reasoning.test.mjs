import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { generateText, streamText } from 'ai';

import { families, startWorld, test, userSays } from '../support/world.mjs';
import { reasoningText, textOf } from '../upstream/scripts.mjs';

const answerText = textOf('reasoning');

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

for (const { letter, title } of families) {
  const request = { model: `${letter}/reasoning`, messages: userSays('2 + 2?') };

  test(`${title}: reasoning comes in its own field, before the text`, async () => {
    const deltas = [];
    for await (const chunk of await world.openai.chat.completions.create({
      ...request,
      stream: true,
    }))
      deltas.push(chunk.choices[0].delta);
    const reasoning = deltas.filter((delta) => delta.reasoning_content);
    const content = deltas.filter((delta) => delta.content);
    assert.equal(reasoning.map((delta) => delta.reasoning_content).join(''), reasoningText);
    assert.equal(content.map((delta) => delta.content).join(''), answerText);
    assert.ok(
      deltas.indexOf(reasoning.at(-1)) < deltas.indexOf(content[0]),
      'reasoning comes first',
    );
    assert.ok(
      reasoning.every((delta) => !delta.content),
      'never in one chunk with text',
    );

    const { message } = (await world.openai.chat.completions.create(request)).choices[0];
    assert.equal(message.reasoning_content, reasoningText);
    assert.equal(message.content, answerText);
  });

  for (const [words, off] of [
    ['reasoning.exclude', { reasoning: { exclude: true } }],
    ['include_reasoning: false', { include_reasoning: false }],
  ])
    test(`${title}: ${words} hides the reasoning and leaves the answer`, async () => {
      const hidden = { ...request, ...off };
      let text = '';
      for await (const chunk of await world.openai.chat.completions.create({
        ...hidden,
        stream: true,
      })) {
        assert.ok(!('reasoning_content' in chunk.choices[0].delta));
        text += chunk.choices[0].delta.content ?? '';
      }
      assert.equal(text, answerText);
      const { message } = (await world.openai.chat.completions.create(hidden)).choices[0];
      assert.ok(!message.reasoning_content);
    });

  test(`${title}: @ai-sdk/openai-compatible tells reasoning from text`, async () => {
    const model = world.aiModels['@ai-sdk/openai-compatible'](`${letter}/reasoning`);
    const streamed = streamText({ model, prompt: '2 + 2?', maxRetries: 0 });
    const parts = [];
    for await (const part of streamed.fullStream) parts.push(part);
    const joined = (type) =>
      parts
        .filter((part) => part.type === type)
        .map((part) => part.text)
        .join('');
    assert.equal(joined('reasoning-delta'), reasoningText);
    assert.equal(joined('text-delta'), answerText);

    const generated = await generateText({ model, prompt: '2 + 2?', maxRetries: 0 });
    assert.equal(generated.reasoningText, reasoningText);
    assert.equal(generated.text, answerText);
  });
}
