// Gemini's API, as the AI SDK's provider for it speaks it, with each provider behind it.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { createGoogleGenerativeAI } from '@ai-sdk/google';
import { generateText, stepCountIs, streamText, tool } from 'ai';
import { z } from 'zod';

import { families, startWorld, test } from '../support/world.mjs';
import { reasoningText, textOf } from '../upstream/scripts.mjs';

let world;
let aiModel;
let baseURL;
before(async () => {
  world = await startWorld();
  baseURL = world.baseURL.replace(/\/v1$/, '/v1beta');
  aiModel = createGoogleGenerativeAI({ baseURL, apiKey: 'not-needed' });
});
after(() => world?.stop());

// A name with a slash in it is taken for a whole resource.
const googleModel = (name) => aiModel(`models/${name}`);

for (const { letter, title } of families) {
  test(`${title}: Google's provider of the AI SDK reads the same streamed and whole`, async () => {
    for (const script of ['text', 'escapes', 'utf8']) {
      const question = { model: googleModel(`${letter}/${script}`), prompt: 'Hi', maxRetries: 0 };
      const streamed = streamText(question);
      let text = '';
      for await (const delta of streamed.textStream) text += delta;
      assert.equal(text, textOf(script));
      assert.equal(await streamed.finishReason, 'stop');
      const generated = await generateText(question);
      assert.equal(generated.text, textOf(script));
      assert.equal(generated.usage.outputTokens, (await streamed.usage).outputTokens);
    }
  });

  test(`${title}: thoughts come to those who ask for them`, async () => {
    const answer = await generateText({
      model: googleModel(`${letter}/reasoning`),
      prompt: 'Hi',
      maxRetries: 0,
      providerOptions: { google: { thinkingConfig: { includeThoughts: true } } },
    });
    assert.equal(answer.reasoningText, reasoningText);
    assert.equal(answer.text, textOf('reasoning'));
  });

  test(`${title}: tools are called one after the other, and at once`, async () => {
    const echo = (name) =>
      tool({
        description: name,
        inputSchema: z.object({ city: z.string().optional(), zone: z.string().optional() }),
        execute: async (input) => JSON.stringify(input),
      });
    const asked = {
      prompt: 'Go on.',
      maxRetries: 0,
      stopWhen: stepCountIs(5),
      tools: { get_weather: echo('weather'), get_time: echo('time') },
    };
    const looped = await generateText({ ...asked, model: googleModel(`${letter}/tool-loop`) });
    assert.equal(looped.steps.length, 3);
    assert.match(looped.text, /Lima.*UTC-5/);
    const parallel = await generateText({ ...asked, model: googleModel(`${letter}/tool-parallel`) });
    assert.equal(parallel.steps[0].toolCalls.length, 2);
    assert.match(parallel.text, /Oslo.*Berlin/);
  });

  test(`${title}: errors have Google's form`, async () => {
    const failed = await fetch(`${baseURL}/models/${letter}/error-400:generateContent`, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ contents: [{ role: 'user', parts: [{ text: 'Hi' }] }] }),
    });
    assert.equal(failed.status, 400);
    const { error } = await failed.json();
    assert.equal(error.code, 400);
    assert.equal(error.status, 'INVALID_ARGUMENT');
  });
}

test('tokens are counted, and models listed', async () => {
  const counted = await fetch(`${baseURL}/models/o/text:countTokens`, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({
      generateContentRequest: {
        model: 'models/o/text',
        contents: [{ role: 'user', parts: [{ text: 'How many words are there?' }] }],
      },
    }),
  });
  assert.equal(counted.status, 200);
  assert.equal(counted.headers.get('x-gateway-warnings'), 'estimated_tokens');
  assert.ok((await counted.json()).totalTokens > 3);
  const listed = [];
  let token = '';
  do {
    const page = await fetch(`${baseURL}/models?pageSize=2&pageToken=${token}`);
    const { models, nextPageToken } = await page.json();
    listed.push(...models.map((model) => model.name));
    token = nextPageToken;
  } while (token);
  assert.ok(listed.includes('models/rounds-g'));
  assert.equal(new Set(listed).size, listed.length);
});
