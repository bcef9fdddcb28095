// The answer of Runnel as bytes, and as the frames that they hold.

import assert from 'node:assert/strict';

export function post(baseURL, body) {
  return fetch(`${baseURL}/chat/completions`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', authorization: 'Bearer not-needed' },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(20_000),
  });
}

export async function streamedBytes(baseURL, body) {
  const response = await post(baseURL, { ...body, stream: true });
  assert.equal(response.status, 200, await (response.ok ? '' : response.text()));
  assert.match(response.headers.get('content-type'), /^text\/event-stream/);
  return Buffer.from(await response.arrayBuffer());
}

// The JSON frames of a stream, after a look at the framing itself.
export function framesOf(bytes) {
  const text = new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  assert.ok(!text.includes('\r'), 'no carriage return');
  assert.ok(text.endsWith('\n\ndata: [DONE]\n\n'), `ends with [DONE]: …${text.slice(-80)}`);

  const pieces = text.split('\n\n').slice(0, -1);
  const payloads = pieces
    .filter((piece) => !piece.startsWith(': '))
    .map((piece) => {
      assert.ok(piece.startsWith('data: '), `a data line: ${piece}`);
      assert.ok(!piece.includes('\n'), `one line: ${piece}`);
      return piece.slice('data: '.length);
    });
  assert.equal(payloads.filter((payload) => payload === '[DONE]').length, 1);
  return payloads.slice(0, -1).map((payload) => JSON.parse(payload));
}

export const streamedFrames = async (baseURL, body) => framesOf(await streamedBytes(baseURL, body));
