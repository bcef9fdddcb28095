import { readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';

import { defineConfig, type Plugin } from 'vite';

// The gateway has both forms of each file in it, and compresses nothing itself.
const compressed: Plugin = {
  name: 'compressed',
  apply: 'build',
  closeBundle() {
    for (const name of readdirSync('dist', { recursive: true }) as string[]) {
      const file = join('dist', name);
      if (statSync(file).isFile()) writeFileSync(`${file}.gz`, gzipSync(readFileSync(file), { level: 9 }));
    }
  },
};

// Everything under /assets has a hash in its name, so that browsers may keep it for good. Nothing is inlined:
// the gateway forbids inline script and style.
export default defineConfig({
  plugins: [compressed],
  esbuild: { jsx: 'automatic', jsxImportSource: 'preact' },
  build: {
    target: 'es2022',
    assetsInlineLimit: 0,
    modulePreload: { polyfill: false },
    reportCompressedSize: false,
    chunkSizeWarningLimit: 600,
  },
  // `npm run dev` shows the sources as they are edited, with the API of a gateway on its usual port.
  server: { proxy: { '^/(v1|admin|readyz|healthz)': process.env.RUNNEL_URL ?? 'http://127.0.0.1:8080' } },
});
