import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { framesOf, post, streamedBytes, streamedFrames } from '../support/frames.mjs';
import {
  readWithErrorCheck,
  readWithoutRemainder,
  readWithRemainder,
} from '../support/readers.mjs';
import { assertFits } from '../support/schema.mjs';
import { openaiTools } from '../support/tools.mjs';
import { families, startWorld, test, userSays } from '../support/world.mjs';
import { textOf } from '../upstream/scripts.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const texts = {
  text: textOf('text'),
  escapes: textOf('escapes'),
  utf8: textOf('utf8'),
  surrogates: 'smile 😀 done',
  pings: textOf('text'),
  empty: '',
  reasoning: textOf('reasoning'),
  usage: textOf('text'),
  'tool-parallel': 'Checking both.',
};
const failing = ['error-midstream', 'cut'];
const framed = [...Object.keys(texts), 'tool-one', 'tool-empty', 'length', ...failing];

const ask = (model, more = {}) => ({
  model,
  messages: userSays('Hi'),
  ...(model.includes('/tool-') ? { tools: openaiTools } : {}),
  ...more,
});

// Words of the providers' formats that no client of the default dialect may see.
const providerWords = new RegExp(
  [
    ...['content_block', 'message_start', 'tool_use', 'thinking_delta'],
    ...['functionCall', 'candidates', 'usageMetadata', 'thoughtSignature'],
    ...['done_reason', 'eval_count', 'obfuscation', 'service_tier', 'OPENROUTER'],
    'UPSTREAM0001', // every id of the imposter
  ].join('|'),
  'i',
);

for (const { letter, title } of families) {
  for (const [script, expected] of Object.entries(texts)) {
    const streaming = () => post(world.baseURL, ask(`${letter}/${script}`, { stream: true }));

    test(`${title}: a reader that keeps no remainder shows all of '${script}'`, async () => {
      const shown = await readWithoutRemainder(await streaming());
      assert.deepEqual(shown, { text: expected, events: [] });
    });

    test(`${title}: a reader that keeps a remainder shows all of '${script}'`, async () => {
      assert.deepEqual(await readWithRemainder(await streaming()), { text: expected });
    });
  }

  for (const script of failing)
    test(`${title}: a reader that asks for errors finds the one in '${script}'`, async () => {
      const streaming = await post(world.baseURL, ask(`${letter}/${script}`, { stream: true }));
      const { text, error } = await readWithErrorCheck(streaming);
      assert.equal(text, 'Hello');
      assert.equal(error.type, 'server_error');
    });

  for (const include_usage of [false, true])
    test(`${title}: every frame fits, usage ${include_usage ? 'on' : 'off'}`, async () => {
      const more = include_usage ? { stream_options: { include_usage } } : {};
      for (const script of framed) {
        const frames = await streamedFrames(world.baseURL, ask(`${letter}/${script}`, more));
        frames.forEach(assertFits);
        const errors = frames.filter((frame) => 'error' in frame);
        assert.equal(errors.length, failing.includes(script) ? 1 : 0);
      }
    });

  test(`${title}: the role comes once and first, the finish once and last`, async () => {
    for (const script of ['text', 'pings', 'empty', 'reasoning', 'tool-one', 'tool-parallel']) {
      const frames = await streamedFrames(world.baseURL, ask(`${letter}/${script}`));
      const deltas = frames.map((frame) => frame.choices[0].delta);
      const content = script === 'tool-one' ? null : '';
      assert.deepEqual(deltas[0], { role: 'assistant', content });
      assert.ok(deltas.slice(1).every((delta) => !('role' in delta)));
      assert.deepEqual(deltas.at(-1), {});
      assert.ok(
        deltas.slice(1, -1).every((delta) => Object.keys(delta).length === 1),
        'one thing per chunk',
      );
      const finishes = frames.map((frame) => frame.choices[0].finish_reason);
      assert.ok(finishes.slice(0, -1).every((reason) => reason === null));
      assert.ok(finishes.at(-1));
    }
  });

  test(`${title}: the keys of a chunk stand in OpenAI's order`, async () => {
    for (const frame of await streamedFrames(world.baseURL, ask(`${letter}/tool-parallel`))) {
      assert.deepEqual(Object.keys(frame), ['id', 'object', 'created', 'model', 'choices']);
      assert.deepEqual(Object.keys(frame.choices[0]), ['index', 'delta', 'finish_reason']);
    }
  });

  test(`${title}: nothing of the provider's own format reaches the client`, async () => {
    for (const script of ['text', 'pings', 'reasoning', 'tool-parallel', 'usage']) {
      const more = { stream_options: { include_usage: true } };
      const bytes = await streamedBytes(world.baseURL, ask(`${letter}/${script}`, more));
      framesOf(bytes);
      assert.doesNotMatch(bytes.toString('utf8'), providerWords);
    }
  });
}
