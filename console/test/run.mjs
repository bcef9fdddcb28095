// Bundles each test/*.test.ts and runs them with Node's own runner.

import { spawnSync } from 'node:child_process';
import { mkdtempSync, readdirSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';

import { build } from 'esbuild';

const folder = mkdtempSync(join(tmpdir(), 'runnel-console-'));
try {
  const tests = readdirSync('test').filter((name) => name.endsWith('.test.ts'));
  await build({
    entryPoints: tests.map((name) => join('test', name)),
    outdir: folder,
    outExtension: { '.js': '.mjs' },
    bundle: true,
    platform: 'node',
    format: 'esm',
    target: 'node18',
    logLevel: 'warning',
  });
  const files = tests.map((name) => join(folder, `${basename(name, '.ts')}.mjs`));
  const { status } = spawnSync(process.execPath, ['--test', ...files], { stdio: 'inherit' });
  process.exitCode = status ?? 1;
} finally {
  rmSync(folder, { recursive: true, force: true });
}
