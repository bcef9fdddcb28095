// node with-world.mjs COMMAND…: runs a command that finds Runnel's address in RUNNEL_BASE_URL.

import { spawn } from 'node:child_process';
import { once } from 'node:events';

import { startWorld } from './world.mjs';

const [command, ...parameters] = process.argv.slice(2);
const world = await startWorld();
const environment = { ...process.env, RUNNEL_BASE_URL: world.baseURL, NO_PROXY: '127.0.0.1' };
const child = spawn(command, parameters, { stdio: 'inherit', env: environment });
const [code] = await once(child, 'exit');
await world.stop();
process.exit(code ?? 1);
