// Puts the agents under build/agents, one folder for each list of packages, once. Where npm can't,
// the folder says why, and the tests of that agent are skipped.

import { spawnSync } from 'node:child_process';
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import path from 'node:path';
import { fileURLToPath } from 'node:url';

import { agents } from './agents.mjs';

const cache = fileURLToPath(new URL('../../build/agents/', import.meta.url));
const limit = 240_000;

// The last word of the first package's name: `@openai/codex@0.169.0` is in `codex`.
const folderOf = ({ packages }) => path.join(cache, packages[0].split('@').at(-2).split('/').at(-1));

const textOf = (file) => (existsSync(file) ? readFileSync(file, 'utf8') : undefined);

// Where the agent's commands are, or why they are not there.
export function installationOf(agent) {
  const folder = folderOf(agent);
  if (textOf(path.join(folder, 'installed')) === agent.packages.join(' '))
    return { commands: path.join(folder, 'node_modules', '.bin') };
  return { reason: textOf(path.join(folder, 'failed')) ?? 'it was not installed: start tests/agents/run' };
}

function install(agent) {
  const folder = folderOf(agent);
  const wanted = agent.packages.join(' ');
  if (textOf(path.join(folder, 'installed')) === wanted) return;
  console.log(`agents: installing ${wanted}`);
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const quiet = ['--no-save', '--no-package-lock', '--no-progress', '--no-audit', '--no-fund', '--loglevel=error'];
  const done = spawnSync('npm', ['install', '--prefix', folder, ...quiet, ...agent.packages], {
    timeout: limit,
    killSignal: 'SIGKILL',
    encoding: 'utf8',
  });
  if (done.status === 0) return writeFileSync(path.join(folder, 'installed'), wanted);
  const said = done.stderr?.split('\n').find(Boolean) ?? done.error?.message;
  return writeFileSync(path.join(folder, 'failed'), `npm could not install ${wanted}: ${said}`);
}

if (process.argv[1] === fileURLToPath(import.meta.url)) agents.forEach(install);
