import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import {
  openaiTools,
  runnableTools,
  runTool,
  nothing,
  timeIn,
  weatherIn,
} from '../support/tools.mjs';
import { families, startWorld, test, userSays } from '../support/world.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const berlin = 'UTC+1 "Berlin"';

// Joins the deltas of the calls as the documentation says: by index, arguments added to arguments.
async function streamedTurn(request) {
  const turn = { role: 'assistant', content: '', tool_calls: [] };
  let finish;
  for await (const chunk of await world.openai.chat.completions.create({
    ...request,
    stream: true,
  })) {
    const choice = chunk.choices[0];
    turn.content += choice.delta.content ?? '';
    for (const { index, ...delta } of choice.delta.tool_calls ?? []) {
      if (delta.id) {
        assert.equal(index, turn.tool_calls.length, 'indexes are dense and in order');
        turn.tool_calls.push(delta);
      } else {
        assert.deepEqual(Object.keys(delta), ['function'], 'id, type and name come once');
        turn.tool_calls[index].function.arguments += delta.function.arguments;
      }
    }
    finish ??= choice.finish_reason;
  }
  return { turn, finish };
}

async function wholeTurn(request) {
  const completion = await world.openai.chat.completions.create(request);
  return { turn: completion.choices[0].message, finish: completion.choices[0].finish_reason };
}

const resultOf = ({ id, function: { name, arguments: text } }) => ({
  role: 'tool',
  tool_call_id: id,
  content: runTool(name, text),
});

// Drives a conversation until the model stops asking for tools.
async function converse(model, takeTurn, more = {}) {
  const messages = userSays('Use your tools.');
  for (let round = 0; round < 5; round += 1) {
    const { turn, finish } = await takeTurn({ model, messages, tools: openaiTools, ...more });
    if (finish !== 'tool_calls') return { text: turn.content, finish, rounds: round };
    messages.push(turn, ...turn.tool_calls.map(resultOf));
  }
  throw new Error('the model never stopped asking');
}

const named = (calls) =>
  calls.map((call) => [call.type, call.function.name, JSON.parse(call.function.arguments)]);

for (const { letter, title } of families) {
  const ask = (script, more = {}) => ({
    model: `${letter}/${script}`,
    messages: userSays('Use your tools.'),
    tools: openaiTools,
    ...more,
  });

  for (const [manner, takeTurn] of [
    ['streamed', streamedTurn],
    ['whole', wholeTurn],
  ]) {
    test(`${title}: one ${manner} tool call has an id, a name and whole arguments`, async () => {
      const { turn, finish } = await takeTurn(ask('tool-one'));
      assert.equal(finish, 'tool_calls');
      assert.deepEqual(named(turn.tool_calls), [['function', 'get_weather', { city: 'Oslo' }]]);
      assert.match(turn.tool_calls[0].id, /^call_/);
      assert.ok(!turn.content, 'no text');
    });

    test(`${title}: parallel ${manner} tool calls keep their order and their own ids`, async () => {
      const { turn, finish } = await takeTurn(ask('tool-parallel'));
      assert.equal(finish, 'tool_calls');
      assert.equal(turn.content, 'Checking both.');
      assert.deepEqual(named(turn.tool_calls), [
        ['function', 'get_weather', { city: 'Oslo' }],
        ['function', 'get_time', { zone: berlin }],
      ]);
      assert.equal(new Set(turn.tool_calls.map((call) => call.id)).size, 2);
    });

    test(`${title}: a ${manner} tool call without arguments has the arguments {}`, async () => {
      const { turn } = await takeTurn(ask('tool-empty'));
      assert.equal(turn.tool_calls[0].function.arguments, '{}');
      const { text } = await converse(`${letter}/tool-empty`, takeTurn);
      assert.ok(text.includes(nothing), text);
    });

    test(`${title}: a ${manner} round trip ends with the results in the answer`, async () => {
      const parallel = await converse(`${letter}/tool-parallel`, takeTurn);
      assert.ok(parallel.text.includes(weatherIn('Oslo')), parallel.text);
      assert.ok(parallel.text.includes(timeIn(berlin)), parallel.text);
      assert.equal(parallel.finish, 'stop');

      const looped = await converse(`${letter}/tool-loop`, takeTurn);
      assert.equal(looped.rounds, 2);
      assert.ok(looped.text.includes(weatherIn('Lima')), looped.text);
      assert.ok(looped.text.includes(timeIn('UTC-5')), looped.text);
    });

    test(`${title}: a ${manner} round trip works with thinking between`, async () => {
      const { text } = await converse(`${letter}/tool-think`, takeTurn, {
        reasoning_effort: 'low',
      });
      assert.ok(text.includes(weatherIn('Oslo')), text);
    });
  }

  test(`${title}: the stream helper tells of finished calls with parsed names`, async () => {
    const stream = world.openai.chat.completions.stream(ask('tool-parallel'));
    const finished = [];
    stream.on('tool_calls.function.arguments.done', (call) =>
      finished.push([call.name, call.arguments]),
    );
    const message = await stream.finalMessage();
    assert.deepEqual(
      finished.map(([name, text]) => [name, JSON.parse(text)]),
      [
        ['get_weather', { city: 'Oslo' }],
        ['get_time', { zone: berlin }],
      ],
    );
    assert.equal(message.tool_calls.length, 2);
  });

  for (const stream of [true, false])
    test(`${title}: runTools loops to the answer, ${stream ? 'streamed' : 'whole'}`, async () => {
      const runner = world.openai.chat.completions.runTools({
        model: `${letter}/tool-loop`,
        messages: userSays('Use your tools.'),
        tools: runnableTools,
        stream,
      });
      const content = await runner.finalContent();
      assert.ok(content.includes(weatherIn('Lima')), content);
      assert.ok(content.includes(timeIn('UTC-5')), content);
    });
}
