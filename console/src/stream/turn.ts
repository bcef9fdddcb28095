// One question to one model, and its answer as it comes.

import { type ApiError, asApiError, errorOf, isAbort, send } from '../api/http';
import { DialectReader, type Dialect } from './dialects';
import { type Frame, framesOf } from './sse';
import { StepList } from './steps';

export interface Message {
  role: 'system' | 'user' | 'assistant';
  content: unknown;
}

export interface Wish {
  model: string;
  dialect: Dialect;
  messages: Message[];
  fields: Record<string, unknown>; // of the body, besides
  key: string; // to ask with; empty: as whoever is signed in
}

export class Turn {
  readonly list = new StepList();
  frames: Frame[] = [];
  state: 'running' | 'done' | 'stopped' | 'failed' = 'running';
  problem: ApiError | undefined;
  id: string | undefined; // of the completion; where none came about, of the request
  servedBy: string | undefined;
  warnings: string | undefined;
  attempts = 1;
  firstToken: number | undefined; // ms
  total: number | undefined;
  private began = 0;

  constructor(
    readonly question: string,
    readonly wish: Wish,
  ) {}

  // The body that is sent, also for whoever wants to send it again.
  body(): Record<string, unknown> {
    const { model, messages, fields } = this.wish;
    return { model, stream: true, stream_options: { include_usage: true }, messages, ...fields };
  }

  // `changed` is told whenever there is more to show.
  async run(signal: AbortSignal, changed: () => void): Promise<void> {
    this.began = performance.now();
    try {
      await this.read(signal, changed);
      this.state = this.list.steps.some((step) => step.kind === 'error') ? 'failed' : 'done';
    } catch (problem) {
      this.state = isAbort(problem) || signal.aborted ? 'stopped' : 'failed';
      if (this.state === 'failed') this.problem = asApiError(problem);
    }
    this.total = performance.now() - this.began;
    changed();
  }

  private async read(signal: AbortSignal, changed: () => void): Promise<void> {
    const { dialect, key } = this.wish;
    const headers = { 'X-Stream-Dialect': dialect, ...(key ? { Authorization: `Bearer ${key}` } : {}) };
    const asking = { method: 'POST', body: this.body(), headers, signal } as const;
    const response = await send('/v1/chat/completions', asking);
    this.note(response.headers);
    if (!response.ok) throw await errorOf(response, asking);
    const reader = new DialectReader();
    for await (const frames of framesOf(response, this.began)) {
      for (const frame of frames) {
        this.frames.push(frame);
        if (frame.data === undefined) continue;
        for (const event of reader.read(frame.data, frame.ms)) this.list.add(event);
      }
      if (this.list.steps.length) this.firstToken ??= frames[0]?.ms;
      changed();
    }
    if (!this.list.ended) throw new Error('The connection ended before the answer was complete.');
  }

  private note(headers: Headers): void {
    this.id = headers.get('X-Completion-Id') ?? headers.get('X-Request-ID') ?? undefined;
    this.servedBy = headers.get('X-Model-Used') ?? undefined;
    this.warnings = headers.get('X-Gateway-Warnings') ?? undefined;
    this.attempts = Number(headers.get('X-Gateway-Attempts') ?? 1);
  }
}
