// Everything a test needs: the imposter, a Runnel before it, and clients that know its address.

import { test as plainTest } from 'node:test';

import { createOpenAI } from '@ai-sdk/openai';
import { createOpenAICompatible } from '@ai-sdk/openai-compatible';
import OpenAI from 'openai';

import { startImposter } from '../imposter.mjs';
import { serverRounds } from '../upstream/scripts.mjs';
import { startGateway } from './gateway.mjs';

// The letter is the provider's name in the configuration: `c/text` is the script `text`, told by
// Anthropic.
export const families = [
  { letter: 'o', title: 'OpenAI-like' },
  { letter: 'c', title: 'Anthropic' },
  { letter: 'g', title: 'Gemini' },
  { letter: 'l', title: 'Ollama' },
];

// The two providers of the AI SDK that speak chat completions.
export const aiSdks = ['@ai-sdk/openai', '@ai-sdk/openai-compatible'];

// The AI SDK writes its warnings to the console; no test reads them there.
globalThis.AI_SDK_LOG_WARNINGS = false;

// Every test is bounded: a stream that never ends must not hang the run.
export const test = (promise, body) => plainTest(promise, { timeout: 30_000 }, body);

export const userSays = (content) => [{ role: 'user', content }];

// A Runnel whose four providers are all the imposter.
export async function startWorld() {
  const imposter = await startImposter();
  try {
    const bare = await startBareWorld(configFor(imposter.url));
    const stop = () => bare.stop().finally(() => imposter.stop());
    return { ...bare, imposter, stop };
  } catch (problem) {
    await imposter.stop();
    throw problem;
  }
}

// Base URLs as each provider's own SDK takes them.
const configFor = (upstream) => `
providers:
  o: {kind: openai, base_url: "${upstream}/v1", api_key: key-o}
  c: {kind: anthropic, base_url: "${upstream}", api_key: key-c}
  g: {kind: gemini, base_url: "${upstream}", api_key: key-g}
  l: {kind: ollama, base_url: "${upstream}"}
tools:${serverRounds.tools.map((name) => toolConfig(name, upstream)).join('')}
models:${families.map(({ letter }) => roundsConfig(letter)).join('')}
`;

// The gateway runs these itself, for the models `rounds-o`, `rounds-c` …
const toolConfig = (name, upstream) => `
  ${name}:
    http:
      url: "${upstream}/tool/${name}"
      method: GET
      parameters: {type: object, properties: {round: {type: integer}}, required: [round]}`;

const roundsConfig = (letter) => `
  rounds-${letter}: {targets: [${letter}/server-rounds], tools: [${serverRounds.tools.join(', ')}]}`;

// A Runnel with this configuration: with none, it has its own models and no other.
export async function startBareWorld(config = '') {
  const binary = process.env.RUNNEL_BINARY;
  if (!binary) throw new Error('RUNNEL_BINARY is not set: start the tests with tests/sdk/run');
  const gateway = await startGateway({ binary, config });
  const client = { baseURL: `${gateway.url}/v1`, apiKey: 'not-needed' };
  return {
    baseURL: client.baseURL,
    openai: new OpenAI({ ...client, maxRetries: 0, timeout: 20_000 }),
    aiModels: {
      '@ai-sdk/openai': createOpenAI(client).chat,
      '@ai-sdk/openai-compatible': createOpenAICompatible({
        ...client,
        name: 'runnel',
        includeUsage: true,
      }),
    },
    stop: gateway.stop,
  };
}
