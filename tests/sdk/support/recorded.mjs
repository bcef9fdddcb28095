// Plays the specification's vectors as a server would: /VECTOR/DIALECT/… is that file, frame by
// frame; /VECTOR/DIALECT+pings/… the same with a ping before each frame.

import { once } from 'node:events';
import { readdir, readFile } from 'node:fs/promises';
import { createServer } from 'node:http';

const golden = new URL('../../fixtures/golden/', import.meta.url);

const textOf = (vector, dialect) => readFile(new URL(`${vector}/${dialect}.sse`, golden), 'utf8');

// The vectors that there are in a dialect, as { vector, frames }.
export async function vectorsIn(dialect) {
  const found = [];
  for (const vector of (await readdir(golden)).sort()) {
    const text = await textOf(vector, dialect).catch(() => undefined);
    if (text === undefined) continue;
    const payloads = text.split('\n').filter((line) => line.startsWith('data: '));
    found.push({ vector, frames: payloads.slice(0, -1).map((line) => JSON.parse(line.slice(6))) });
  }
  return found;
}

export async function startRecorded() {
  const server = createServer(async (request, response) => {
    const [, vector, name] = request.url.split('/');
    const [dialect, pings] = name.split('+');
    const frames = (await textOf(vector, dialect)).split(/(?<=\n\n)/);
    response.setHeader('content-type', 'text/event-stream');
    for (const frame of frames) {
      if (pings) response.write(': ping\n\n');
      response.write(frame);
    }
    response.end();
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const url = `http://127.0.0.1:${server.address().port}`;
  const stop = () => new Promise((done) => server.close(done).closeAllConnections());
  return { url, stop };
}
