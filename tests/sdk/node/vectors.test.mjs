// Every consumer over every vector of the specification (appendix B): what they may rely on is in
// the recorded bytes, whoever sends them.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { after, before } from 'node:test';

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import { streamText } from 'ai';
import OpenAI from 'openai';

import { post } from '../support/frames.mjs';
import {
  readWithErrorCheck,
  readWithoutRemainder,
  readWithRemainder,
} from '../support/readers.mjs';
import { startRecorded, vectorsIn } from '../support/recorded.mjs';
import { startBareWorld, test, userSays } from '../support/world.mjs';

let recorded;
before(async () => (recorded = await startRecorded()));
after(() => recorded?.stop());

const question = { model: 'm', messages: userSays('Hi') };
const play = (vector, dialect) => post(`${recorded.url}/${vector}/${dialect}`, question);

// The text of an answer, without what an agent says on its way.
const textOf = (frames) =>
  frames.map((frame) => (frame.type ? '' : (frame.choices?.[0]?.delta.content ?? ''))).join('');
const typesIn = (frames) => frames.map((frame) => frame.type).filter(Boolean);
const errorIn = (frames) => frames.find((frame) => frame.error)?.error;

for (const dialect of ['openai', 'timeline', 'agent', 'agent-raw'])
  for (const { vector, frames } of await vectorsIn(dialect))
    for (const played of [dialect, `${dialect}+pings`])
      test(`${vector}, ${played}: a reader that keeps no remainder prints the answer`, async () => {
        const shown = await readWithoutRemainder(await play(vector, played));
        assert.deepEqual(shown, { text: textOf(frames), events: typesIn(frames) });
      });

for (const dialect of ['openai', 'timeline', 'agent'])
  for (const { vector, frames } of await vectorsIn(dialect)) {
    test(`${vector}, ${dialect}: a reader that asks for errors first never throws`, async () => {
      const shown = await readWithErrorCheck(await play(vector, `${dialect}+pings`));
      assert.deepEqual(shown.error, errorIn(frames));
      if (!shown.error) assert.equal(shown.text, textOf(frames));
    });

    test(`${vector}, ${dialect}: the openai SDK reads on to the end, or to the error`, async () => {
      const baseURL = `${recorded.url}/${vector}/${dialect}+pings`;
      const openai = new OpenAI({ baseURL, apiKey: 'x', maxRetries: 0 });
      const chunks = [];
      const read = async () => {
        const stream = await openai.chat.completions.create({ ...question, stream: true });
        for await (const chunk of stream) chunks.push(chunk);
      };
      if (errorIn(frames)) await assert.rejects(read, OpenAI.APIError);
      else {
        await read();
        assert.deepEqual(chunks, frames);
      }
    });

    test(`${vector}, ${dialect}: the AI SDK reads the answer, or the error`, async () => {
      const client = { baseURL: `${recorded.url}/${vector}/${dialect}`, apiKey: 'x' };
      for (const model of [
        createOpenAI(client).chat('m'),
        createOpenAICompatible({ ...client, name: 'recorded' })('m'),
      ]) {
        const { fullStream } = streamText({ model, prompt: 'Hi', maxRetries: 0, onError() {} });
        const parts = [];
        for await (const part of fullStream) parts.push(part);
        const text = parts.filter((part) => part.type === 'text-delta').map((part) => part.text);
        assert.equal(text.join(''), textOf(frames));
        assert.equal(parts.filter((part) => part.type === 'finish').length, 1);
        const failed = parts.some((part) => part.type === 'error');
        // A timeline's failure is a finish with its own word, which the AI SDK knows by itself.
        if (dialect !== 'timeline') assert.equal(failed, Boolean(errorIn(frames)));
      }
    });
  }

for (const { vector, frames } of await vectorsIn('openai'))
  test(`${vector}: a reader that takes choices for granted needs an answer without failure`, async () => {
    const read = async () => readWithRemainder(await play(vector, 'openai+pings'));
    if (errorIn(frames)) await assert.rejects(read, TypeError);
    else assert.equal((await read()).text, textOf(frames));
  });

for (const dialect of ['openai', 'agent'])
  for (const { vector, frames } of await vectorsIn(dialect))
    if (!errorIn(frames) && !frames.some((frame) => frame.usage && !frame.choices.length))
      test(`${vector}, ${dialect}: choices[0] is in every frame`, () => {
        for (const frame of frames) assert.ok(frame.choices[0].delta);
      });

test('curl -N shows frames as they are produced', async () => {
  const world = await startBareWorld();
  try {
    const body = JSON.stringify({ ...question, model: 'demo/slow', stream: true });
    const curl = spawn('curl', ['-sN', `${world.baseURL}/chat/completions`, '-d', body]);
    const times = [];
    for await (const piece of curl.stdout)
      if (piece.includes('"content":" ')) times.push(performance.now());
    const gaps = times.slice(1).map((time, at) => time - times[at]);
    assert.ok(gaps.length > 5);
    const inTime = gaps.filter((gap) => gap > 100 && gap < 1000); // a word each 250 ms
    assert.ok(inTime.length > gaps.length / 2, `${gaps}`);
  } finally {
    await world.stop();
  }
});
