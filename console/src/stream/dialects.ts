// Reads the frames of any dialect (docs/dialects.md) back into the timeline that they were written from.

import type { ServerTool, StreamEvent, TokenCounts } from './events';

export const dialects = ['openai', 'timeline', 'agent', 'agent-raw'] as const;
export type Dialect = (typeof dialects)[number];

// In which a kept answer can be shown: those of the other APIs too. `gemini-array` has the objects of `gemini`.
export const frameDialects = [...dialects, 'messages', 'responses', 'gemini'] as const;
export type FrameDialect = (typeof frameDialects)[number];

interface WireUsage {
  prompt_tokens: number;
  completion_tokens: number;
  total_tokens?: number;
  prompt_tokens_details?: { cached_tokens?: number };
  completion_tokens_details?: { reasoning_tokens?: number };
}

interface WireCall {
  index?: number;
  id?: string;
  function?: { name?: string; arguments?: string };
}

interface WireChunk {
  choices?: {
    index?: number;
    delta?: {
      content?: string | null;
      reasoning?: string;
      reasoning_content?: string;
      refusal?: string;
      tool_calls?: WireCall[];
    };
    finish_reason?: string | null;
  }[];
  usage?: WireUsage | null;
  error?: { message?: string; code?: string };
  servertool?: { name: string; id: string; contents: string; state: string; result?: unknown; error?: string };
  type?: 'agent_text' | 'tool_start' | 'tool_trace';
  content?: string;
  tool?: string;
  args?: unknown;
  call_id?: string;
  ok?: boolean;
  result?: unknown;
}

// In `timeline`, tokens from or into a cache are not among the prompt's; in the others they are.
function countsOf(usage: WireUsage): TokenCounts {
  const cached = usage.prompt_tokens_details?.cached_tokens;
  const apart = usage.total_tokens !== undefined && usage.total_tokens > usage.prompt_tokens + usage.completion_tokens;
  const counts: TokenCounts = {
    fresh_input: usage.prompt_tokens - (apart ? 0 : (cached ?? 0)),
    output: usage.completion_tokens,
  };
  if (cached !== undefined) counts.cache_read = cached;
  const reasoning = usage.completion_tokens_details?.reasoning_tokens;
  if (reasoning !== undefined) counts.reasoning = reasoning;
  return counts;
}

export class DialectReader {
  private openCalls = new Set<string>(); // choice:index
  private agentRuns = 0; // agent-raw has no ids: the n-th start belongs to the n-th end of that tool

  read(json: string, ms: number): StreamEvent[] {
    if (json === '[DONE]') return [{ ms, ended: true }];
    let chunk: WireChunk;
    try {
      chunk = JSON.parse(json) as WireChunk;
    } catch {
      return [{ ms, failed: { kind: 'malformed_frame', message: `This frame is not JSON: ${json.slice(0, 200)}` } }];
    }
    return [...this.eventsOf(chunk)].map((event) => ({ ms, ...event }));
  }

  private *eventsOf(chunk: WireChunk): Generator<Omit<StreamEvent, 'ms'>> {
    const tool = this.serverTool(chunk);
    if (tool) yield { server_tool: tool };
    if (chunk.type === 'agent_text' && chunk.content) yield { text: chunk.content };
    for (const { index: choice = 0, delta = {}, finish_reason: finish } of chunk.choices ?? []) {
      const reasoning = delta.reasoning_content ?? delta.reasoning;
      if (reasoning) yield { choice, reasoning };
      if (delta.content) yield { choice, text: delta.content };
      if (delta.refusal) yield { choice, refusal: delta.refusal };
      for (const call of delta.tool_calls ?? []) yield* this.call(choice, call);
      if (!finish) continue;
      yield* this.endCalls(choice);
      if (finish !== 'error') yield { choice, finished: finish };
    }
    if (chunk.usage) yield { usage: countsOf(chunk.usage) };
    if (chunk.error) yield { failed: { kind: chunk.error.code ?? 'error', message: chunk.error.message ?? '' } };
  }

  private *call(choice: number, { index = 0, id = '', function: called = {} }: WireCall): Generator<Omit<StreamEvent, 'ms'>> {
    const name = `${choice}:${index}`;
    if (!this.openCalls.has(name)) {
      this.openCalls.add(name);
      yield { choice, tool_started: index, id, name: called.name ?? '' };
    }
    if (called.arguments) yield { choice, index, tool_arguments: called.arguments };
  }

  private *endCalls(choice: number): Generator<Omit<StreamEvent, 'ms'>> {
    for (const name of [...this.openCalls]) {
      const [ofChoice, index] = name.split(':').map(Number);
      if (ofChoice !== choice) continue;
      this.openCalls.delete(name);
      yield { choice, tool_ended: index ?? 0 };
    }
  }

  private serverTool(chunk: WireChunk): ServerTool | undefined {
    if (chunk.servertool) {
      const { name, id, contents, state, result, error } = chunk.servertool;
      const tool: ServerTool = { state: state.toLowerCase() as ServerTool['state'], id, name, arguments: contents };
      if (result !== undefined || error !== undefined) tool.result = JSON.stringify(result ?? error);
      return tool;
    }
    if (chunk.type === 'tool_start') {
      const id = chunk.call_id ?? `run-${++this.agentRuns}`;
      return { state: 'running', id, name: chunk.tool ?? '', arguments: JSON.stringify(chunk.args ?? {}) };
    }
    if (chunk.type === 'tool_trace') {
      const state = chunk.ok ? 'completed' : 'failed';
      const told = chunk.ok ? chunk.result : chunk.error;
      const tool: ServerTool = { state, name: chunk.tool ?? '' };
      if (chunk.call_id) tool.id = chunk.call_id;
      if (told !== undefined) tool.result = JSON.stringify(told);
      return tool;
    }
    return undefined;
  }
}
