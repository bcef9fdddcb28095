// The gateway's timeline: what happened, in order, each with the milliseconds since the answer began. Logs keep it like
// this; the frames of every dialect are read into it (dialects.ts).

export interface TokenCounts {
  fresh_input: number;
  cache_read?: number;
  cache_write?: number;
  output: number;
  reasoning?: number;
}

export interface ServerTool {
  state: 'created' | 'running' | 'completed' | 'failed';
  id?: string;
  name?: string;
  arguments?: string; // JSON
  result?: string; // JSON
}

// A source of what was said: an address, or a place in one of the request's documents.
export interface Citation {
  kind: string;
  url?: string;
  title?: string;
  cited_text?: string;
}

// One of the members after `choice` says what it is.
export interface StreamEvent {
  ms: number;
  choice?: number;
  started?: true;
  text?: string;
  reasoning?: string;
  refusal?: string;
  tool_started?: number; // the call's index; with id and name
  id?: string;
  name?: string;
  tool_arguments?: string; // with index
  index?: number;
  tool_ended?: number;
  server_tool?: ServerTool;
  hold_over?: string;
  reasoning_signed?: string;
  reasoning_encrypted?: string;
  item_ended?: true;
  citation?: Citation;
  logprobs?: unknown[];
  provider_state?: string;
  usage?: TokenCounts;
  finished?: string;
  native?: string;
  failed?: { kind: string; message?: string; param?: string; retry_after_ms?: number };
  ended?: true;
}
