// An upstream that pretends to be four providers at once and answers from a script. It is as strict
// as the providers are: a request that they would refuse gets their 400 here too. Every request is
// kept for the tests to look at. GET /tool/NAME?round=N is a tool that takes its time.
// `script` says what is answered, given the model, the tool results so far and the request's body.

import { createServer } from 'node:http';
import { once } from 'node:events';
import { setTimeout as pause } from 'node:timers/promises';

import * as anthropic from './upstream/anthropic.mjs';
import * as gemini from './upstream/gemini.mjs';
import * as ollama from './upstream/ollama.mjs';
import * as openai from './upstream/openai.mjs';
import { answerFor, serverRounds } from './upstream/scripts.mjs';

const families = [openai, anthropic, gemini, ollama];

// Long enough for each frame to travel on its own, short enough not to be felt.
const pauseBetweenFrames = 2;

// A tool takes up to so many milliseconds.
const toolTime = 60;

export async function startImposter({ script = answerFor } = {}) {
  const requests = [];
  const server = createServer((request, response) => {
    answer(request, response, { requests, script }).catch((problem) => {
      requests.push({ problem });
      response.destroy();
    });
  });
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');

  return {
    url: `http://127.0.0.1:${server.address().port}`,
    requests,
    // The requests that arrived while `action` ran.
    async during(action) {
      const before = requests.length;
      await action();
      return requests.slice(before);
    },
    async stop() {
      server.close();
      server.closeAllConnections?.();
    },
  };
}

async function answer(request, response, { requests, script: play }) {
  const url = new URL(request.url, 'http://imposter');
  if (url.pathname.startsWith('/tool/')) return runTool(url, response);
  const family = families.find(
    (candidate) => request.method === 'POST' && candidate.claims(url.pathname),
  );
  if (!family)
    return sendJson(response, { status: 404, body: { error: `no route ${request.url}` } });

  const body = JSON.parse(await textOf(request));
  const asked = family.read(body, url);
  const record = {
    family: family.name,
    url: request.url,
    headers: request.headers,
    body,
    finished: false,
  };
  record.closed = new Promise((resolve) => response.once('close', resolve));
  response.once('finish', () => (record.finished = true));
  requests.push(record);

  if (!family.isAuthorized(request, url)) return sendJson(response, family.failure(401));
  if (asked.complaint) return sendJson(response, family.failure(400, asked.complaint));
  const script = play(asked.model, asked.toolResults, body);
  if (script.status) return sendJson(response, family.failure(script.status));

  const about = { model: asked.model, body };
  if (asked.streams) return sendStream(response, family, script, about);
  if (script.steps.some((step) => step.fail)) return sendJson(response, family.failure(500));
  return sendJson(response, { status: 200, body: family.whole(script, about) }, script);
}

// Says when it was ready, so that a test can tell in which order the tools were.
async function runTool(url, response) {
  await pause(Math.random() * toolTime);
  const name = url.pathname.split('/').at(-1);
  response.writeHead(200, { 'content-type': 'text/plain' });
  response.end(`${serverRounds.result(name, url.searchParams.get('round'))} ${performance.now()}`);
}

async function textOf(request) {
  const pieces = [];
  for await (const piece of request) pieces.push(piece);
  return Buffer.concat(pieces).toString('utf8');
}

async function sendStream(response, family, script, about) {
  response.writeHead(200, family.headers);
  response.socket.setNoDelay(true);
  for (const frame of family.stream(script, about)) {
    if (response.destroyed) return;
    if (frame.cut) return response.destroy();
    if (frame.wait) {
      await pause(frame.wait);
      continue;
    }
    for (const piece of script.split ? splitInsideCharacters(frame) : [frame]) {
      response.write(piece);
      await pause(pauseBetweenFrames);
    }
  }
  response.end();
}

// Pieces that each end in the middle of a multi-byte character, but for the last.
function splitInsideCharacters(text) {
  const bytes = Buffer.from(text, 'utf8');
  const pieces = [];
  let from = 0;
  for (let at = 1; at < bytes.length; at += 1) {
    const continues = (bytes[at] & 0xc0) === 0x80;
    if (!continues) continue;
    pieces.push(bytes.subarray(from, at));
    from = at;
  }
  pieces.push(bytes.subarray(from));
  return pieces;
}

function sendJson(response, { status, headers = {}, body }, script) {
  const bytes = Buffer.from(JSON.stringify(body), 'utf8');
  response.writeHead(status, {
    'content-type': 'application/json',
    'content-length': bytes.length,
    ...headers,
  });
  if (!script?.steps.some((step) => step.cut)) return response.end(bytes);
  response.write(bytes.subarray(0, bytes.length / 2), () => response.destroy());
  return undefined;
}
