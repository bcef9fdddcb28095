import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { generateText, streamText } from 'ai';

import { aiSdks, families, startWorld, test, userSays } from '../support/world.mjs';
import { textOf } from '../upstream/scripts.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const requestFor = (model) => ({ model, messages: userSays('Hi') });

async function streamedText(model) {
  const stream = await world.openai.chat.completions.create({
    ...requestFor(model),
    stream: true,
  });
  let text = '';
  for await (const chunk of stream) text += chunk.choices[0]?.delta?.content ?? '';
  return text;
}

async function wholeText(model) {
  const completion = await world.openai.chat.completions.create(requestFor(model));
  return completion.choices[0].message.content;
}

for (const { letter, title } of families) {
  for (const [script, expected] of [
    ['text', textOf('text')],
    ['escapes', textOf('escapes')],
    ['utf8', textOf('utf8')],
    ['surrogates', 'smile 😀 done'],
    ['pings', textOf('text')],
    ['empty', ''],
  ])
    test(`${title}: '${script}' reads the same streamed and whole`, async () => {
      assert.equal(await streamedText(`${letter}/${script}`), expected);
      assert.equal((await wholeText(`${letter}/${script}`)) ?? '', expected);
    });

  test(`${title}: the stream helper folds the chunks into the non-streamed message`, async () => {
    const whole = await world.openai.chat.completions.create(requestFor(`${letter}/text`));
    const folded = await world.openai.chat.completions
      .stream(requestFor(`${letter}/text`))
      .finalChatCompletion();
    assert.equal(folded.choices[0].message.content, whole.choices[0].message.content);
    assert.equal(folded.choices[0].message.role, whole.choices[0].message.role);
    assert.equal(folded.choices[0].finish_reason, whole.choices[0].finish_reason);
    assert.equal(folded.model, whole.model);
  });

  test(`${title}: id, time and model stay the same on every chunk`, async () => {
    const { data: stream, response } = await world.openai.chat.completions
      .create({ ...requestFor(`${letter}/text`), stream: true })
      .withResponse();
    const seen = new Set();
    let id;
    for await (const chunk of stream) {
      seen.add(`${chunk.id} ${chunk.created} ${chunk.model}`);
      id = chunk.id;
    }
    assert.equal(seen.size, 1);
    assert.ok(id.length > 20, `an id of Runnel's own: ${id}`);
    assert.ok(!/UPSTREAM0001/i.test([...seen][0]), 'not the upstream id');
    assert.equal(response.headers.get('x-completion-id'), id);
    assert.ok(response.headers.get('x-request-id'));
  });

  for (const [script, reason] of [
    ['text', 'stop'],
    ['length', 'length'],
    ['filter', 'content_filter'],
  ]) {
    // Ollama knows no filter.
    if (letter === 'l' && script === 'filter') continue;
    test(`${title}: '${script}' finishes with ${reason}, streamed and whole`, async () => {
      const request = requestFor(`${letter}/${script}`);
      const reasons = [];
      for await (const chunk of await world.openai.chat.completions.create({
        ...request,
        stream: true,
      }))
        if (chunk.choices[0]?.finish_reason) reasons.push(chunk.choices[0].finish_reason);
      assert.deepEqual(reasons, [reason]);
      const whole = await world.openai.chat.completions.create(request);
      assert.equal(whole.choices[0].finish_reason, reason);
    });
  }

  for (const sdk of aiSdks)
    test(`${title}: ${sdk} streams and generates the same text`, async () => {
      const question = {
        model: world.aiModels[sdk](`${letter}/text`),
        prompt: 'Hi',
        maxRetries: 0,
      };
      const streamed = streamText(question);
      const deltas = [];
      for await (const delta of streamed.textStream) deltas.push(delta);
      assert.equal(deltas.join(''), textOf('text'));
      assert.ok(deltas.length > 1, 'more than one delta');
      assert.equal(await streamed.finishReason, 'stop');
      const generated = await generateText(question);
      assert.equal(generated.text, textOf('text'));
      assert.equal(generated.finishReason, 'stop');
    });

  test(`${title}: leaving the loop ends the upstream request`, async () => {
    const [sent] = await world.imposter.during(async () => {
      const request = { ...requestFor(`${letter}/endless`), stream: true };
      let chunks = 0;
      for await (const _ of await world.openai.chat.completions.create(request))
        if (++chunks === 3) break;
    });
    await sent.closed;
    assert.equal(sent.finished, false);
  });
}
