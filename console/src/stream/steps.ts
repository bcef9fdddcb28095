// A timeline as a reader sees it: runs of text and thought, calls, tools, the end. Events go in one by one, so that a
// live stream, a replay and a finished answer are drawn by the same code.

import type { Citation, StreamEvent, TokenCounts } from './events';

interface Timed {
  from: number; // ms of its first event
  to: number; // and of its last
}

export interface Saying extends Timed {
  kind: 'text' | 'reasoning' | 'refusal';
  text: string;
  pieces: number;
}

export interface Call extends Timed {
  kind: 'call';
  id: string;
  name: string;
  arguments: string;
  done: boolean;
}

export interface Tool extends Timed {
  kind: 'tool';
  id: string;
  name: string;
  arguments: string;
  result: string | undefined;
  state: 'created' | 'running' | 'completed' | 'failed';
}

export interface Source extends Timed {
  kind: 'source';
  citation: Citation;
}

export interface Finish extends Timed {
  kind: 'finish';
  reason: string;
  native: string;
}

export interface Failure extends Timed {
  kind: 'error';
  code: string;
  message: string;
}

export type Step = Saying | Call | Tool | Source | Finish | Failure;

const key = (choice: number | undefined, index: number): string => `${choice ?? 0}:${index}`;

export class StepList {
  readonly steps: Step[] = [];
  usage: TokenCounts | undefined;
  ended = false;
  private calls = new Map<string, Call>();

  add(event: StreamEvent): void {
    const { ms } = event;
    if (event.text !== undefined) this.say('text', event.text, ms);
    else if (event.reasoning !== undefined) this.say('reasoning', event.reasoning, ms);
    else if (event.refusal !== undefined) this.say('refusal', event.refusal, ms);
    else if (event.tool_started !== undefined) this.startCall(event, event.tool_started);
    else if (event.tool_arguments !== undefined) this.extendCall(event, event.tool_arguments);
    else if (event.tool_ended !== undefined) this.endCall(event, event.tool_ended);
    else if (event.server_tool) this.runTool(event.server_tool, ms);
    else if (event.citation) this.steps.push({ kind: 'source', citation: event.citation, from: ms, to: ms });
    else if (event.usage) this.usage = event.usage;
    else if (event.finished !== undefined)
      this.steps.push({ kind: 'finish', reason: event.finished, native: event.native ?? '', from: ms, to: ms });
    else if (event.failed)
      this.steps.push({ kind: 'error', code: event.failed.kind, message: event.failed.message ?? '', from: ms, to: ms });
    else if (event.ended) this.ended = true;
  }

  // All that was said as text, for the next turn of a conversation.
  text(): string {
    return this.steps.map((step) => (step.kind === 'text' ? step.text : '')).join('');
  }

  private say(kind: Saying['kind'], text: string, ms: number): void {
    const last = this.steps.at(-1);
    if (last?.kind === kind) {
      last.text += text;
      last.pieces += 1;
      last.to = ms;
    } else {
      this.steps.push({ kind, text, pieces: 1, from: ms, to: ms });
    }
  }

  private startCall({ ms, choice, id = '', name = '' }: StreamEvent, index: number): void {
    const call: Call = { kind: 'call', id, name, arguments: '', done: false, from: ms, to: ms };
    this.calls.set(key(choice, index), call);
    this.steps.push(call);
  }

  private extendCall({ ms, choice, index = 0 }: StreamEvent, fragment: string): void {
    const call = this.calls.get(key(choice, index));
    if (!call) return;
    call.arguments += fragment;
    call.to = ms;
  }

  private endCall({ ms, choice }: StreamEvent, index: number): void {
    const call = this.calls.get(key(choice, index));
    if (!call) return;
    call.done = true;
    call.to = ms;
  }

  // Each state of one run changes its one step.
  private runTool(told: NonNullable<StreamEvent['server_tool']>, ms: number): void {
    const isSame = (step: Step): step is Tool =>
      step.kind === 'tool' && (told.id ? step.id === told.id : step.name === told.name && step.result === undefined);
    const known = this.steps.find(isSame);
    if (!known) {
      this.steps.push({
        kind: 'tool', id: told.id ?? '', name: told.name ?? '', arguments: told.arguments ?? '', result: told.result,
        state: told.state, from: ms, to: ms,
      });
      return;
    }
    known.state = told.state;
    if (told.arguments) known.arguments = told.arguments;
    if (told.result !== undefined) known.result = told.result;
    known.to = ms;
  }
}

export function stepsOf(events: readonly StreamEvent[]): StepList {
  const list = new StepList();
  for (const event of events) list.add(event);
  return list;
}
