import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { Ollama } from 'ollama';

import { openaiTools, runTool, weatherIn } from '../support/tools.mjs';
import { families, startWorld, test, userSays } from '../support/world.mjs';
import { reasoningText, textOf } from '../upstream/scripts.mjs';

let world;
let ollama;
before(async () => {
  world = await startWorld();
  ollama = new Ollama({ host: world.baseURL.replace(/\/v1$/, '') });
});
after(() => world?.stop());

async function streamed(chunks, textIn) {
  let text = '';
  let last;
  for await (const chunk of chunks) {
    text += textIn(chunk);
    last = chunk;
  }
  return { text, last };
}

for (const { letter, title } of families) {
  for (const script of ['text', 'escapes', 'utf8', 'pings'])
    test(`${title}: '${script}' reads the same in every text API, streamed and whole`, async () => {
      const expected = textOf(script === 'pings' ? 'text' : script);
      const model = `${letter}/${script}`;

      const completion = { model, prompt: 'Hi' };
      const whole = await world.openai.completions.create(completion);
      assert.equal(whole.object, 'text_completion');
      assert.equal(whole.choices[0].text, expected);
      const chunks = await world.openai.completions.create({ ...completion, stream: true });
      const told = await streamed(chunks, (chunk) => chunk.choices[0].text);
      assert.equal(told.text, expected);
      assert.equal(told.last.choices[0].finish_reason, 'stop');

      const chat = { model, messages: userSays('Hi') };
      assert.equal((await ollama.chat(chat)).message.content, expected);
      const lines = await ollama.chat({ ...chat, stream: true });
      const said = await streamed(lines, (line) => line.message.content);
      assert.equal(said.text, expected);
      assert.equal(said.last.done_reason, 'stop');
      assert.ok(said.last.eval_count > 0 && said.last.total_duration > 0);

      const prompt = { model, prompt: 'Hi' };
      assert.equal((await ollama.generate(prompt)).response, expected);
      const pieces = await ollama.generate({ ...prompt, stream: true });
      assert.equal((await streamed(pieces, (piece) => piece.response)).text, expected);
    });

  test(`${title}: Ollama's client runs a tool and goes on`, async () => {
    const messages = userSays('How is the weather in Oslo?');
    const asked = { model: `${letter}/tool-one`, messages, tools: openaiTools };
    const { message } = await ollama.chat(asked);
    assert.equal(message.tool_calls.length, 1);
    const { name, arguments: args } = message.tool_calls[0].function;
    const content = runTool(name, JSON.stringify(args));
    messages.push(message, { role: 'tool', tool_name: name, content });
    const lines = await ollama.chat({ ...asked, messages, stream: true });
    const { text } = await streamed(lines, (line) => line.message.content);
    assert.equal(text, `The tools said: ${weatherIn('Oslo')}.`);
  });

  test(`${title}: Ollama's client is told of a failure in the middle`, async () => {
    const lines = await ollama.chat({
      model: `${letter}/cut`,
      messages: userSays('Hi'),
      stream: true,
    });
    await assert.rejects(streamed(lines, (line) => line.message.content), { name: 'Error' });
  });
}

test("Ollama's client sees what a model thinks", async () => {
  const { message } = await ollama.chat({
    model: 'c/reasoning',
    messages: userSays('Hi'),
    think: true,
  });
  assert.equal(message.thinking, reasoningText);
  assert.equal(message.content, textOf('reasoning'));
});

test("Ollama's client lists models, shows one and sees that none is loaded", async () => {
  const { models } = await ollama.list();
  assert.ok(models.some(({ model }) => model === 'rounds-c'));
  const shown = await ollama.show({ model: 'rounds-c' });
  assert.ok(shown.capabilities.includes('completion'));
  assert.deepEqual((await ollama.ps()).models, []);
  assert.match((await ollama.version()).version, /^\d+\.\d+\.\d+$/);
  await assert.rejects(ollama.show({ model: 'no-such-model' }), { status_code: 404 });
});

test("Ollama's client has a model loaded without asking it", async () => {
  let answer;
  const asked = await world.imposter.during(async () => {
    answer = await ollama.generate({ model: 'o/text', prompt: '' });
  });
  assert.deepEqual([answer.response, answer.done, answer.done_reason], ['', true, 'load']);
  assert.equal(asked.length, 0);
});
