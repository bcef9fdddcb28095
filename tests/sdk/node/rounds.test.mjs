// Five rounds with three tools of the gateway at once, which take their time: one answer in every
// dialect, through every SDK.

import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { streamText } from 'ai';

import { framesOf, post, streamedBytes } from '../support/frames.mjs';
import { readWithoutRemainder, readWithErrorCheck } from '../support/readers.mjs';
import { stepsOf } from '../support/steps.mjs';
import { aiSdks, families, startWorld, test, userSays } from '../support/world.mjs';
import { serverRounds } from '../upstream/scripts.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const { count, tools, thought, word, result } = serverRounds;
const rounds = Array.from({ length: count }, (_, round) => round);

const results = rounds.flatMap((round) => tools.map((tool) => result(tool, round)));
const answer = `The tools said: ${results.join(' ')}.`;
const words = rounds.map(word).join('');

const sumOf = (tokens) => [...rounds, count].reduce((sum, round) => sum + tokens(round), 0);
const promptTokens = sumOf((round) => serverRounds.usage(round).fresh);
const completionTokens = sumOf((round) => serverRounds.usage(round).output);

const question = (letter, more = {}) => ({
  model: `rounds-${letter}`,
  messages: userSays('Use your tools.'),
  stream: true,
  stream_options: { include_usage: true },
  servertool_results: true,
  ...more,
});

// The text that a reader of `content` has in the end.
const contentIn = (dialect) => (dialect.startsWith('agent') ? answer : words + answer);

// The states of one run of a tool, in each dialect that shows it.
const statesIn = {
  timeline: ['Created', 'Running', 'Completed'],
  agent: ['Running', 'Completed'],
  'agent-raw': ['Running', 'Completed'],
};

// Two tools were ready so far apart that nobody can have mistaken their order.
const farApart = 30; // ms

function assertOneAnswer(frames) {
  const chunks = frames.filter((frame) => frame.object);
  assert.equal(new Set(chunks.map((chunk) => chunk.id)).size, 1, 'one id');
  const choices = chunks.flatMap((chunk) => chunk.choices);
  assert.equal(choices.filter((choice) => choice.delta.role).length, 1, 'one role');
  const finishes = choices.map((choice) => choice.finish_reason).filter(Boolean);
  assert.deepEqual(finishes, ['stop'], 'one finish');
  assert.ok(!choices.some((choice) => choice.delta.tool_calls), 'no calls for the client');

  const usages = chunks.map((chunk) => chunk.usage).filter(Boolean);
  assert.equal(usages.length, 1, 'usage once');
  assert.equal(usages[0].prompt_tokens, promptTokens);
  assert.equal(usages[0].completion_tokens, completionTokens);
  assert.equal(usages[0].total_tokens, promptTokens + completionTokens);
}

// A round's thought and word, then its tools and nothing else, then the next round.
function assertOrder(steps, dialect) {
  const rest = [...steps];
  const interim = dialect === 'timeline' ? {} : { interim: true };
  const ids = new Set();
  for (const round of rounds) {
    assert.deepEqual(rest.shift(), { thought: thought(round) });
    assert.deepEqual(rest.shift(), { text: word(round), ...interim });
    const size = tools.length * statesIn[dialect].length;
    const run = rest.splice(0, size);
    for (const name of tools) {
      const own = run.filter((step) => step.tool === name);
      assert.deepEqual(
        own.map((step) => step.state),
        statesIn[dialect],
        `${name}${round}`,
      );
      assert.equal(new Set(own.map((step) => step.id)).size, 1, 'one id for one run');
      assert.ok(own.at(-1).result.startsWith(`${result(name, round)} `), own.at(-1).result);
      ids.add(own[0].id);
    }
    const ready = run
      .filter((step) => step.state === 'Completed')
      .map((step) => Number(step.result.split(' ')[1]));
    for (const [at, time] of ready.entries())
      for (const later of ready.slice(at + 1))
        assert.ok(time - later < farApart, `told in the order of their ends: ${ready}`);
  }
  assert.deepEqual(rest, [{ text: answer }, { finish: 'stop' }]);
  if (dialect !== 'agent-raw') assert.equal(ids.size, count * tools.length, 'no id twice');
}

// The families at the same time: their tools only wait.
const inEveryFamily = (check) => () =>
  Promise.all(
    families.map(async ({ letter, title }) => {
      try {
        await check(letter);
      } catch (problem) {
        problem.message = `${title}: ${problem.message}`;
        throw problem;
      }
    }),
  );

test(
  'the default dialect shows one plain answer',
  inEveryFamily(async (letter) => {
    const frames = framesOf(await streamedBytes(world.baseURL, question(letter)));
    assertOneAnswer(frames);
    const said = rounds.map(word);
    said[said.length - 1] += answer; // nothing comes between them
    const expected = rounds.flatMap((round) => [
      { thought: thought(round) },
      { text: said[round] },
    ]);
    assert.deepEqual(stepsOf(frames), [...expected, { finish: 'stop' }]);
  }),
);

for (const dialect of Object.keys(statesIn))
  test(
    `every step comes in its order, in ${dialect}`,
    inEveryFamily(async (letter) => {
      const asking = question(letter, { stream_dialect: dialect });
      const frames = framesOf(await streamedBytes(world.baseURL, asking));
      assertOneAnswer(frames);
      assertOrder(stepsOf(frames), dialect);
    }),
  );

for (const dialect of ['openai', 'timeline', 'agent']) {
  test(
    `the openai SDK iterates over one answer, in ${dialect}`,
    inEveryFamily(async (letter) => {
      const asking = question(letter, { stream_dialect: dialect });
      const chunks = [];
      for await (const chunk of await world.openai.chat.completions.create(asking))
        chunks.push(chunk);
      assertOneAnswer(chunks);
      if (dialect !== 'openai') assertOrder(stepsOf(chunks), dialect);
    }),
  );

  test(
    `the openai SDK's stream helper puts one answer together, in ${dialect}`,
    inEveryFamily(async (letter) => {
      const asking = question(letter, { stream_dialect: dialect });
      const helper = world.openai.chat.completions.stream(asking);
      const { choices, usage } = await helper.finalChatCompletion();
      assert.equal(choices.length, 1);
      assert.equal(choices[0].message.content, contentIn(dialect));
      assert.equal(choices[0].finish_reason, 'stop');
      assert.equal(usage.total_tokens, promptTokens + completionTokens);
    }),
  );

  for (const sdk of aiSdks)
    test(
      `${sdk} reads one answer, in ${dialect}`,
      inEveryFamily(async (letter) => {
        const { fullStream, steps } = streamText({
          model: world.aiModels[sdk](`rounds-${letter}`),
          prompt: 'Use your tools.',
          headers: { 'X-Stream-Dialect': dialect },
          maxRetries: 0,
        });
        const parts = [];
        for await (const part of fullStream) parts.push(part);
        const ofType = (type) => parts.filter((part) => part.type === type);
        assert.deepEqual(ofType('error'), []);
        assert.deepEqual(ofType('tool-call'), []);
        const text = ofType('text-delta').map((part) => part.text);
        assert.equal(text.join(''), contentIn(dialect));
        const [finish, ...more] = ofType('finish');
        assert.deepEqual(more, []);
        assert.equal(finish.finishReason, 'stop');
        assert.equal(finish.totalUsage.inputTokens, promptTokens);
        assert.equal(finish.totalUsage.outputTokens, completionTokens);
        assert.equal((await steps).length, 1);
      }),
    );
}

for (const dialect of ['openai', 'timeline', 'agent', 'agent-raw'])
  test(`readers written by hand show the answer, in ${dialect}`, async () => {
    const asking = { ...question('c', { stream_dialect: dialect }), stream_options: undefined };
    const { text, events } = await readWithoutRemainder(await post(world.baseURL, asking));
    assert.equal(text, contentIn(dialect));
    const told = dialect.startsWith('agent') ? count * (1 + 2 * tools.length) : 0;
    assert.equal(events.length, told);
    if (dialect === 'agent-raw') return; // its frames have no `choices`
    const shown = await readWithErrorCheck(await post(world.baseURL, asking));
    assert.deepEqual(shown, { text: contentIn(dialect), error: undefined });
  });

test(
  'without a stream it is one answer too',
  inEveryFamily(async (letter) => {
    const { stream, stream_options, ...asking } = question(letter);
    const whole = await world.openai.chat.completions.create(asking);
    assert.equal(whole.choices[0].finish_reason, 'stop');
    assert.equal(whole.choices[0].message.content, words + answer);
    assert.equal(whole.usage.total_tokens, promptTokens + completionTokens);
  }),
);
