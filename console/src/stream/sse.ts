// Server-sent events from a response, frame by frame, with the time at which each came.

export interface Frame {
  ms: number; // since the request was sent
  raw: string; // as it came, without the empty line after it
  data: string | undefined; // none: a comment
}

export class FrameReader {
  private pending = '';

  // The frames that are whole by now.
  *take(text: string, ms: number): Generator<Frame> {
    this.pending += text;
    for (;;) {
      const end = /\r?\n\r?\n/.exec(this.pending);
      if (!end) return;
      const raw = this.pending.slice(0, end.index);
      this.pending = this.pending.slice(end.index + end[0].length);
      if (raw) yield frameOf(raw, ms);
    }
  }
}

export function frameOf(raw: string, ms: number): Frame {
  const lines = raw.split(/\r?\n/).filter((line) => line.startsWith('data:'));
  const data = lines.length ? lines.map((line) => line.slice(5).replace(/^ /, '')).join('\n') : undefined;
  return { ms, raw, data };
}

export async function* framesOf(response: Response, began: number): AsyncGenerator<Frame[]> {
  if (!response.body) return;
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  const frames = new FrameReader();
  for (;;) {
    const { done, value } = await reader.read();
    if (done) return;
    const ready = [...frames.take(value, performance.now() - began)];
    if (ready.length) yield ready;
  }
}

// A whole body, of which nobody knows when what came.
export const framesOfText = (text: string): Frame[] => [...new FrameReader().take(`${text}\n\n`, 0)];
