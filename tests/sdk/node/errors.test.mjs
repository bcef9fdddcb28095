import assert from 'node:assert/strict';
import { after, before } from 'node:test';

import { generateText, streamText } from 'ai';
import {
  APIError,
  BadRequestError,
  InternalServerError,
  NotFoundError,
  RateLimitError,
} from 'openai';

import { aiSdks, families, startWorld, test, userSays } from '../support/world.mjs';

let world;
before(async () => (world = await startWorld()));
after(() => world?.stop());

const providerFailed = /^(tool_provider_error|upstream_error)$/;

// What an upstream refusal becomes before anything was shown.
const providerError = { kind: InternalServerError, type: 'server_error', code: providerFailed };
const refusals = [
  { script: 'error-400', status: 400, kind: BadRequestError, type: 'invalid_request_error' },
  { script: 'error-401', status: 502, ...providerError },
  { script: 'error-500', status: 502, ...providerError },
  {
    script: 'nosuchmodel',
    status: 404,
    kind: NotFoundError,
    type: 'not_found_error',
    code: /^model_not_found$/,
  },
  {
    script: 'error-429',
    status: 429,
    kind: RateLimitError,
    type: 'rate_limit_error',
    code: /^upstream_rate_limited$/,
  },
];

function assertClientSafe(message) {
  assert.ok(
    !/QUITESECRET|internal\.example/.test(message),
    `nothing of the upstream's insides: ${message}`,
  );
}

function assertRefused(problem, { status, kind, type, code }) {
  assert.ok(problem instanceof kind, `${kind.name}, not ${problem}`);
  assert.equal(problem.status, status);
  assert.equal(problem.type, type);
  if (code) assert.match(problem.code, code);
  assert.ok(problem.headers.get('x-request-id'));
  if (status === 429) assert.ok(problem.headers.get('retry-after'), 'a 429 says when to come back');
  assertClientSafe(problem.message);
}

const caught = (promise) =>
  promise.then(
    () => assert.fail('expected an error'),
    (problem) => problem,
  );

const create = (model, more = {}) =>
  world.openai.chat.completions.create({ model, messages: userSays('Hi'), ...more });

async function readUntilError(model) {
  const stream = await create(model, { stream: true });
  const read = { text: '', finishes: [] };
  try {
    for await (const chunk of stream) {
      read.text += chunk.choices[0]?.delta?.content ?? '';
      if (chunk.choices[0]?.finish_reason) read.finishes.push(chunk.choices[0].finish_reason);
    }
  } catch (problem) {
    read.problem = problem;
  }
  return read;
}

for (const { letter, title } of families) {
  for (const { script, ...expected } of refusals)
    for (const stream of [true, false])
      test(`${title}: '${script}' is refused, ${stream ? 'streamed' : 'whole'}`, async () => {
        const problem = await caught(create(`${letter}/${script}`, { stream }));
        assertRefused(problem, expected);
      });

  test(`${title}: an error as the first event is still an HTTP error`, async () => {
    const problem = await caught(create(`${letter}/error-first`, { stream: true }));
    assert.ok(problem instanceof InternalServerError, `${problem}`);
    assertClientSafe(problem.message);
  });

  for (const [script, code] of [
    ['error-midstream', 'tool_provider_error'],
    ['cut', 'upstream_error'],
  ]) {
    test(`${title}: '${script}' keeps the text so far, then raises`, async () => {
      const { text, problem, finishes } = await readUntilError(`${letter}/${script}`);
      assert.equal(text, 'Hello');
      assert.ok(problem instanceof APIError, `${problem}`);
      assert.equal(problem.status, undefined);
      assert.equal(problem.type, 'server_error');
      assert.equal(problem.code, code);
      assertClientSafe(problem.message);
      assert.deepEqual(finishes, [], 'no finish beside an error');
    });

    test(`${title}: '${script}' is an HTTP 502 without a stream`, async () => {
      const problem = await caught(create(`${letter}/${script}`));
      assert.ok(problem instanceof InternalServerError, `${problem}`);
      assert.equal(problem.status, 502);
    });

    test(`${title}: '${script}' makes the stream helper reject`, async () => {
      const request = { model: `${letter}/${script}`, messages: userSays('Hi') };
      const problem = await caught(world.openai.chat.completions.stream(request).finalMessage());
      assert.ok(problem instanceof APIError, `${problem}`);
    });

    for (const sdk of aiSdks)
      test(`${title}: '${script}' is an error part in ${sdk}`, async () => {
        const model = world.aiModels[sdk](`${letter}/${script}`);
        const result = streamText({
          model,
          prompt: 'Hi',
          maxRetries: 0,
          onError: () => {},
        });
        const parts = [];
        for await (const part of result.fullStream) parts.push(part);
        const text = parts.filter((part) => part.type === 'text-delta').map((part) => part.text);
        assert.equal(text.join(''), 'Hello');
        assert.equal(parts.filter((part) => part.type === 'error').length, 1);
      });
  }

  for (const sdk of aiSdks)
    test(`${title}: ${sdk} sees the status of a refusal`, async () => {
      for (const { script, status } of refusals) {
        const model = world.aiModels[sdk](`${letter}/${script}`);
        const problem = await caught(generateText({ model, prompt: 'Hi', maxRetries: 0 }));
        assert.equal(problem.statusCode, status);
        assert.equal(problem.isRetryable, status === 429 || status >= 500);
      }
    });
}

test('Anthropic: an overload in the stream is named with its status', async () => {
  const { problem } = await readUntilError('c/error-midstream');
  assert.equal(problem.error.message, 'Anthropic returned 529 overloaded');
});

test('an unknown provider is a 404 that no upstream sees', async () => {
  const sent = await world.imposter.during(async () => {
    const problem = await caught(create('nobody/knows'));
    assert.ok(problem instanceof NotFoundError, `${problem}`);
    assert.equal(problem.code, 'model_not_found');
  });
  assert.deepEqual(sent, []);
});

test('a request that makes no sense names the field, and no upstream sees it', async () => {
  const wrong = [
    [{ model: 'o/text' }, 'messages', 'missing_required_field'],
    [{ messages: userSays('Hi') }, 'model', 'missing_required_field'],
    [
      { model: 'o/text', messages: userSays('Hi'), temperature: 'hot' },
      'temperature',
      'invalid_value',
    ],
    [
      {
        model: 'o/text',
        messages: [{ role: 'tool', tool_call_id: 'call_x', content: 'y' }],
      },
      undefined,
      'tool_call_id_mismatch',
    ],
  ];
  const sent = await world.imposter.during(async () => {
    for (const [request, param, code] of wrong) {
      const problem = await caught(world.openai.chat.completions.create(request));
      assert.ok(problem instanceof BadRequestError, `${problem}`);
      assert.equal(problem.type, 'invalid_request_error');
      assert.equal(problem.code, code);
      if (param) assert.equal(problem.param, param);
    }
  });
  assert.deepEqual(sent, []);
});
