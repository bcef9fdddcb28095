// Each agent does a task of two tool calls, one after the other, with a model of a vendor whose API
// it does not speak. What the model says is scripted; what the tools do is real.

import assert from 'node:assert/strict';
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';
import { describe, test } from 'node:test';

import { startImposter } from '../sdk/imposter.mjs';
import { startGateway } from '../sdk/support/gateway.mjs';
import { agents, note } from './agents.mjs';
import { installationOf } from './install.mjs';

const taskLimit = 60_000;

const vendors = { o: 'openai', c: 'anthropic', g: 'gemini' };

const usage = { fresh: 12, output: 6 };

// Thinks, says a word and calls a tool, once for each call; then tells what the tools said. Requests
// without tools are an agent's small jobs, such as a title for the conversation.
const scriptOf = (calls) => (model, results, body) => {
  if (!body.tools?.length) return { steps: [{ text: 'A note' }], usage, finish: 'stop' };
  const round = results.length;
  if (round >= calls.length) {
    const told = `The tools said: ${results.join(' | ')}.`;
    return { steps: [{ text: told }], usage, finish: 'stop' };
  }
  const steps = [
    { reasoning: `Thought ${round}. ` },
    { signature: true },
    { text: `Round ${round}. ` },
    { call: { ...calls[round], mark: `round${round}` } },
  ];
  return { steps, usage, finish: 'tool_calls' };
};

const configFor = (upstream, vendor) => `
providers:
  o: {kind: openai, base_url: "${upstream}/v1", api_key: key-o}
  c: {kind: anthropic, base_url: "${upstream}", api_key: key-c}
  g: {kind: gemini, base_url: "${upstream}", api_key: key-g}
models:
  coder: {targets: [${vendor}/large]}
  coder-small: {targets: [${vendor}/small]}
`;

// Its exit status and what it printed. Whatever it started ends with it.
async function run([command, ...parameters], { cwd, env }) {
  const child = spawn(command, parameters, {
    cwd,
    env,
    detached: true,
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  const printed = { out: '', err: '' };
  child.stdout.setEncoding('utf8').on('data', (text) => (printed.out += text));
  child.stderr.setEncoding('utf8').on('data', (text) => (printed.err += text));
  const endAll = () => {
    try {
      process.kill(-child.pid, 'SIGKILL');
    } catch {
      // All of them are gone already.
    }
  };
  const timer = setTimeout(endAll, taskLimit);
  try {
    const [status, signal] = await once(child, 'close');
    return { status: status ?? signal, ...printed };
  } finally {
    clearTimeout(timer);
    endAll();
  }
}

// A home and a folder to work in, a Runnel and who answers behind it, for one run of one agent.
async function doTask(agent, vendor, { commands, script }) {
  const place = await mkdtemp(path.join(tmpdir(), 'runnel-agent-'));
  const [home, folder] = [path.join(place, 'home'), path.join(place, 'work')];
  const closing = [() => rm(place, { recursive: true, force: true })];
  try {
    await mkdir(home);
    await mkdir(folder);
    const imposter = await startImposter({ script: script ?? scriptOf(agent.calls(folder)) });
    closing.push(imposter.stop);
    const config = configFor(imposter.url, vendor);
    const gateway = await startGateway({ binary: process.env.RUNNEL_BINARY, config });
    closing.push(gateway.stop);

    const about = { url: gateway.url, model: 'coder', smallModel: 'coder-small' };
    for (const [name, text] of Object.entries(agent.prepare?.(about) ?? {})) {
      await mkdir(path.dirname(path.join(home, name)), { recursive: true });
      await writeFile(path.join(home, name), text);
    }
    // Nothing of the surrounding shell: neither keys nor settings nor proxies.
    const env = {
      PATH: `${commands}:${process.env.PATH}`,
      HOME: home,
      TERM: 'dumb',
      NO_COLOR: '1',
      NO_PROXY: '127.0.0.1',
      ...agent.environment(about),
    };
    const ended = await run(agent.command(), { cwd: folder, env });
    const textOf = (name) => readFile(path.join(folder, name), 'utf8').catch(() => undefined);
    const files = { note: await textOf('note.txt'), sum: await textOf('sum.txt') };
    return { ...ended, files, requests: imposter.requests };
  } finally {
    for (const close of closing.reverse()) await close();
  }
}

const tail = ({ status, out, err }) => `exit ${status}\n${out.slice(-3000)}\n${err.slice(-3000)}`;

describe('coding agents', { concurrency: 2 }, () => {
  for (const agent of agents) {
    const { commands, reason } = installationOf(agent);
    if (reason) console.log(`SKIP: ${agent.name}: ${reason}`);
    for (const vendor of agent.vendors) {
      const title = `${agent.name} does its task with a model of ${vendors[vendor]}`;
      test(title, { skip: reason, timeout: taskLimit + 30_000 }, async () => {
        const done = await doTask(agent, vendor, { commands });
        assert.equal(done.status, 0, tail(done));
        assert.deepEqual(done.files, { note, sum: '42\n' }, tail(done));
        assert.match(done.out, /The tools said: [^]*a river\s+42/, tail(done));
        for (const { family, problem } of done.requests)
          assert.deepEqual({ family, problem }, { family: vendors[vendor], problem: undefined });
      });
    }
  }
});
