import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { generateText, stepCountIs, streamText } from 'ai';

import { aiTools, timeIn, weatherIn } from '../support/tools.mjs';
import { aiSdks, families, startWorld, test } from '../support/world.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const told = (calls) => calls.map((call) => [call.toolName, call.input]);

const thinkingOn = { openai: { reasoningEffort: 'low' }, runnel: { reasoningEffort: 'low' } };

// What each script leads to when the driver runs the tools.
const drives = [
  { script: 'tool-one', steps: 2, says: [weatherIn('Oslo')] },
  { script: 'tool-parallel', steps: 2, says: [weatherIn('Oslo'), timeIn('UTC+1 "Berlin"')] },
  { script: 'tool-loop', steps: 3, says: [weatherIn('Lima'), timeIn('UTC-5')] },
  { script: 'tool-think', steps: 2, says: [weatherIn('Oslo')] },
];

for (const sdk of aiSdks)
  for (const { letter, title } of families) {
    const questionFor = (script, steps) => ({
      model: world.aiModels[sdk](`${letter}/${script}`),
      prompt: 'Use your tools.',
      tools: aiTools,
      stopWhen: stepCountIs(steps),
      maxRetries: 0,
      ...(script === 'tool-think' ? { providerOptions: thinkingOn } : {}),
    });

    test(`${title}: ${sdk} streams parallel calls as typed parts`, async () => {
      const result = streamText(questionFor('tool-parallel', 1));
      const parts = [];
      for await (const part of result.fullStream) parts.push(part);
      assert.deepEqual(
        parts.filter((part) => part.type === 'error'),
        [],
      );
      assert.deepEqual(told(parts.filter((part) => part.type === 'tool-call')), [
        ['get_weather', { city: 'Oslo' }],
        ['get_time', { zone: 'UTC+1 "Berlin"' }],
      ]);
      assert.equal(await result.finishReason, 'tool-calls');
    });

    for (const { script, steps, says } of drives) {
      test(`${title}: ${sdk} drives '${script}' to its answer with streamText`, async () => {
        const result = streamText(questionFor(script, 5));
        const errors = [];
        for await (const part of result.fullStream)
          if (part.type === 'error') errors.push(part.error);
        assert.deepEqual(errors, []);
        assert.equal((await result.steps).length, steps);
        for (const words of says) assert.ok((await result.text).includes(words), await result.text);
        assert.equal(await result.finishReason, 'stop');
      });

      test(`${title}: ${sdk} drives '${script}' to its answer with generateText`, async () => {
        const result = await generateText(questionFor(script, 5));
        assert.equal(result.steps.length, steps);
        for (const words of says) assert.ok(result.text.includes(words), result.text);
        assert.equal(result.finishReason, 'stop');
      });
    }
  }
