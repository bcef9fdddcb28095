// What each model of the imposter says, in no provider's words. A script is chosen by the model
// name in the request; each family in this folder writes it down in its own wire format.
//
// An answer is { steps, usage, finish, split? } or { status } for an HTTP error. A step is one of
//   { text } { reasoning } { signature } { call: { name, args, mark? } }
//   (the mark is in the call's id, in place of the name)
//   { noise: true }   what the family sends to keep a connection alive: nothing a client may see
//   { fail: true }    the family's in-band error, after which the stream ends
//   { cut: true }     the socket is destroyed
//   { wait: ms }      a pause
// Token counts are kept apart as { fresh, cacheRead, output, reasoning }: families disagree on what
// their totals include.

const smallUsage = { fresh: 12, output: 6 };

// 84 + 1792 tokens in, 16 out, of which 5 were spent on thinking.
const cachedUsage = { fresh: 84, cacheRead: 1792, output: 16, reasoning: 5 };

export const thinkingSignature = 'RXZlbiB0aGlzIG9wYXF1ZSB0ZXh0IG11c3QgY29tZSBiYWNrIHVuY2hhbmdlZC4=';

const speaking = (...deltas) => deltas.map((text) => ({ text }));
const calling = (name, args) => ({ call: { name, args } });

const done = (steps, more = {}) => ({ steps, usage: smallUsage, finish: 'stop', ...more });
const asks = (steps, more = {}) => ({ steps, usage: smallUsage, finish: 'tool_calls', ...more });

const reportOf = (results) => done(speaking('The tools said: ', results.join(' | '), '.'));

// The texts of the plain scripts, delta by delta.
const said = {
  text: ['Hel', 'lo', ' from', ' the ', 'upstream', '.'],
  escapes: ['A "quote", a \\ back', 'slash,\n\ta tab, </script>', ', \u2028 and \u0001.'],
  utf8: ['Zürich, naïve ', 'café, 漢字, Ελλ', 'άδα, 👩‍👩‍👧 and 😀.'],
  // One character in two deltas, as two halves of a surrogate pair.
  surrogates: ['smile ', '\ud83d', '\ude00', ' done'],
  reasoning: ['The sum', ' is 4.'],
};
const thought = ['First add, ', 'then check. '];

export const textOf = (script) => said[script].join('');
export const reasoningText = thought.join('');

const hello = () => speaking(...said.text);
const thinking = (...deltas) => [
  ...deltas.map((reasoning) => ({ reasoning })),
  { signature: true },
];

// Five rounds of three calls at once to tools of the gateway, each with a thought and a word before
// it, then the answer, which tells the results in the order in which they came back.
export const serverRounds = {
  count: 5,
  tools: ['alpha', 'beta', 'gamma'],
  thought: (round) => `Thought ${round}. `,
  word: (round) => `Round ${round}. `,
  result: (tool, round) => `${tool}${round}`, // and when it was ready, after a space
  usage: (round) => ({ fresh: 20 + round, output: 4 + round }),
};

function playServerRounds(results) {
  const { count, tools, thought, word, usage } = serverRounds;
  const round = results.length / tools.length;
  if (round === count) {
    const told = results.map((result) => result.split(' ')[0]).join(' ');
    return done(speaking('The tools said: ', told, '.'), { usage: usage(round) });
  }
  const calls = tools.map((name) => ({ call: { name, args: { round }, mark: `${name}${round}` } }));
  const steps = [...thinking(thought(round)), ...speaking(word(round)), ...calls];
  return asks(steps, { usage: usage(round) });
}

const scripts = {
  text: () => done(hello()),
  escapes: () => done(speaking(...said.escapes)),
  // Cut inside every multi-byte character on the wire.
  utf8: () => done(speaking(...said.utf8), { split: true }),
  surrogates: () => done(speaking(...said.surrogates)),
  pings: () => done(hello().flatMap((step) => [{ noise: true }, step, { noise: true }])),
  empty: () => done([]),
  json: () => done(speaking('{"name":', '"Ada"}')),
  length: () => done(speaking('This was going to be lon'), { finish: 'length' }),
  filter: () => done(speaking('I would '), { finish: 'content_filter' }),
  usage: () => done(hello(), { usage: cachedUsage }),
  reasoning: () =>
    done([...thinking(...thought), ...speaking(...said.reasoning)], {
      usage: { ...smallUsage, reasoning: 4 },
    }),

  'tool-one': (results) =>
    results.length ? reportOf(results) : asks([calling('get_weather', { city: 'Oslo' })]),
  'tool-empty': (results) =>
    results.length ? reportOf(results) : asks([calling('get_nothing', {})]),
  'tool-parallel': (results) =>
    results.length
      ? reportOf(results)
      : asks([
          ...speaking('Checking ', 'both.'),
          calling('get_weather', { city: 'Oslo' }),
          calling('get_time', { zone: 'UTC+1 "Berlin"' }),
        ]),
  // Two rounds, one after the other, then the answer.
  'tool-loop': (results) => {
    const rounds = [
      calling('get_weather', { city: 'Lima' }),
      calling('get_time', { zone: 'UTC-5' }),
    ];
    return results.length < rounds.length ? asks([rounds[results.length]]) : reportOf(results);
  },
  'tool-think': (results) =>
    results.length
      ? reportOf(results)
      : asks([...thinking('I need ', 'the weather.'), calling('get_weather', { city: 'Oslo' })]),

  'server-rounds': playServerRounds,

  'error-400': () => ({ status: 400 }),
  'error-401': () => ({ status: 401 }),
  'error-429': () => ({ status: 429 }),
  'error-500': () => ({ status: 500 }),
  'error-first': () => done([{ fail: true }]),
  'error-midstream': () => done([...hello().slice(0, 2), { fail: true }]),
  cut: () => done([...hello().slice(0, 2), { cut: true }]),
  // Goes on until the reader leaves.
  endless: () => done(Array.from({ length: 2000 }, () => [{ text: 'more ' }, { wait: 10 }]).flat()),
};

// The answer of `model` in a conversation that holds these tool results; an unknown model is a 404.
export function answerFor(model, toolResults) {
  const script = Object.hasOwn(scripts, model) ? scripts[model] : undefined;
  return script ? script(toolResults) : { status: 404 };
}
