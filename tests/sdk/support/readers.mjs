// Readers of the kinds that people write by hand from a gateway's documentation, with the shortcuts
// that they take. Each gets a fetch response and returns what it showed to its user.

const prefix = 'data: ';

// Decodes every network read on its own and keeps nothing between two reads: right only when no
// frame is ever cut in two. It also looks for frames with a `type` before it looks for text.
export async function readWithoutRemainder(response) {
  const shown = { text: '', events: [] };
  const decoder = new TextDecoder();
  for await (const bytes of response.body) {
    for (const line of decoder.decode(bytes).split('\n')) {
      if (!line.startsWith(prefix)) continue;
      const payload = line.slice(prefix.length);
      if (payload === '[DONE]') break;
      const event = JSON.parse(payload);
      if (event.type) shown.events.push(event.type);
      else shown.text += event.choices?.[0]?.delta?.content || '';
    }
  }
  return shown;
}

// Keeps what follows the last line end for the next read. It takes `choices` for granted, so an
// error frame makes it throw.
export async function readWithRemainder(response) {
  let text = '';
  for await (const chunk of chunksWithRemainder(response))
    text += chunk.choices[0]?.delta?.content || '';
  return { text };
}

// As the one above, but asks for an error first, as documentation tells readers to.
export async function readWithErrorCheck(response) {
  const shown = { text: '', error: undefined };
  for await (const chunk of chunksWithRemainder(response)) {
    if (chunk.error) shown.error = chunk.error;
    else shown.text += chunk.choices[0]?.delta?.content || '';
  }
  return shown;
}

// Stops at [DONE] without waiting for the end of the body; a body without it is an error.
async function* chunksWithRemainder(response) {
  const decoder = new TextDecoder();
  let remainder = '';
  for await (const bytes of response.body) {
    const lines = (remainder + decoder.decode(bytes, { stream: true })).split('\n');
    remainder = lines.pop();
    for (const line of lines) {
      if (!line.startsWith(prefix)) continue;
      const payload = line.slice(prefix.length);
      if (payload === '[DONE]') return;
      yield JSON.parse(payload);
    }
  }
  throw new Error('the stream ended without [DONE]');
}
