// Starts the Runnel binary on a free port, in a folder of its own, and stops it again.

import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import path from 'node:path';

const startLimit = 15_000;
const stopLimit = 5_000;

export async function startGateway({ binary, config }) {
  const folder = await mkdtemp(path.join(tmpdir(), 'runnel-sdk-'));
  const configFile = path.join(folder, 'runnel.yaml');
  await writeFile(configFile, `data: ${folder}/data\n${config}`);

  // No key and no proxy of the surrounding shell may change what the tests see.
  const environment = { PATH: process.env.PATH, HOME: folder, NO_PROXY: '127.0.0.1' };
  const child = spawn(binary, ['serve', '--config', configFile, '--listen', '127.0.0.1:0'], {
    cwd: folder,
    env: environment,
    stdio: ['ignore', 'ignore', 'pipe'],
  });

  async function stop() {
    if (child.exitCode === null && child.signalCode === null) {
      const exited = once(child, 'exit');
      const killer = setTimeout(() => child.kill('SIGKILL'), stopLimit);
      child.kill('SIGTERM');
      await exited;
      clearTimeout(killer);
    }
    await rm(folder, { recursive: true, force: true });
  }

  try {
    const port = await portOf(child);
    return { url: `http://127.0.0.1:${port}`, stop };
  } catch (problem) {
    await stop();
    throw problem;
  }
}

// Runnel says on stderr where it listens; whatever else it said explains why it did not.
function portOf(child) {
  return new Promise((resolve, reject) => {
    let said = '';
    const limit = setTimeout(
      () => reject(new Error(`runnel did not listen in time: ${said}`)),
      startLimit,
    );
    const settle = (action, value) => {
      clearTimeout(limit);
      action(value);
    };
    child.once('error', (problem) => settle(reject, problem));
    child.once('exit', (code) => settle(reject, new Error(`runnel ended with ${code}: ${said}`)));
    child.stderr.setEncoding('utf8');
    child.stderr.on('data', (text) => {
      said = (said + text).slice(-20_000);
      const port = /listening on http:\/\/127\.0\.0\.1:(\d+)/.exec(said)?.[1];
      if (port) settle(resolve, Number(port));
    });
  });
}
