// What the gateway's answers look like. docs/http-api.md describes them.

export interface Session {
  signed_in: boolean;
  needs_token: boolean;
  mode: 'open' | 'keys' | 'header';
}

export interface List<Item> {
  object: 'list';
  data: Item[];
  has_more?: boolean;
  last_id?: string | null;
  count?: number;
}

export interface AuditEntry {
  id: string;
  at: string;
  by: string;
  address: string;
  action: string;
  subject: string | null;
  changes: Record<string, unknown>;
}

export interface Attempt {
  target: string;
  key: number;
  error: string | null;
  detail: string | null;
  started_ms: number;
  first_token_ms: number | null;
  total_ms: number;
  hedge: boolean;
}

// What an attempt is called that was ended from here: it did not fail.
const givenUp = ['stopped', 'outpaced', 'client_closed'];
export const hasFailed = ({ error }: Attempt): boolean => error !== null && !givenUp.includes(error);

export interface ToolRun {
  name: string;
  error: string | null;
  started_ms: number;
  ms: number;
}

export interface CostLine {
  sku: string;
  quantity: number;
  unit_price: number;
  amount_usd: number;
  description: string | null;
}

export interface Tokens {
  input: number;
  output: number;
  cache_read: number | null;
  cache_write: number | null;
  reasoning: number | null;
  total: number;
  provenance: 'reported' | 'estimated' | null;
}

export type Outcome = 'ok' | 'error' | 'client_closed' | 'crashed';

// One request, when it is over.
export interface LogRecord {
  id: string | null;
  request_id: string;
  time: string;
  time_ms: number;
  key_id: string | null;
  team: string | null;
  model: string | null;
  model_served: string | null;
  provider: string | null;
  dialect: string | null;
  stream: boolean;
  outcome: Outcome;
  status: number;
  finish_reason: string | null;
  error: { code: string; detail: string | null } | null;
  attempts: Attempt[];
  rounds: number;
  tools: ToolRun[];
  usage: Tokens | null;
  cost: { usd: number | null; lines: CostLine[] };
  cache: string | null;
  guardrails: string[];
  timings_ms: { first_token: number | null; total: number; longest_gap: number };
  client_closed: boolean;
  client_address: string | null;
  bytes_out: number;
  warnings: string[];
  malformed_frames: number;
  rerouted_from: string | null;
  continued_by: string | null;
  continuation: string | null;
  metadata: unknown;
}

export interface LogContent {
  request: Record<string, unknown> | null;
  answer: { version: number; events: import('../stream/events').StreamEvent[]; truncated?: boolean } | null;
}

export interface UsageRow {
  group: string | null;
  requests: number;
  errors: number;
  input_tokens: number;
  cached_tokens: number;
  output_tokens: number;
  reasoning_tokens: number;
  cost_usd: number;
  unpriced_requests: number;
}

export interface UsageAnswer {
  object: 'list';
  from: string;
  to: string;
  data: UsageRow[];
}

export const limitNames = ['rpm', 'rpd', 'tpm', 'tpd', 'concurrency'] as const;
export type LimitName = (typeof limitNames)[number];
export type Limits = Partial<Record<LimitName, number | null>>;

export const periods = ['day', 'week', 'month', 'total'] as const;
export type Period = (typeof periods)[number];

export interface Budget {
  usd: number;
  period: Period;
}

export const scopes = ['chat:write', 'models:read', 'tools:execute', 'logs:read', 'usage:read'] as const;

export interface Key {
  id: string;
  object: 'key';
  key?: string; // the secret: once, when it is made
  masked: string;
  name: string;
  kind: 'secret' | 'browser';
  team: string | null;
  enabled: boolean;
  scopes: string[];
  models: string[];
  tools: string[] | null; // null: all
  expires_at: string | null;
  origins: string[];
  addresses: string[];
  wallet: string | null;
  dialect: string | null;
  limits: Limits;
  model_limits: Record<string, Limits>;
  budget: Budget | null;
  guardrails: string[];
  keeps_content: boolean;
  may_cache: boolean;
  metadata: Record<string, unknown>;
  old_key_until: string | null;
  created_at: string;
  updated_at: string;
}

export interface TargetHealth {
  target: string; // provider/model, with #n where the provider has several keys
  breaker: string;
  ready_in_ms: number;
  successes: number;
  failures: number;
  first_token_ms: number | null;
}

export interface Provider {
  name: string;
  kind: string;
  origin: string | null;
  keys: number;
  retries?: number;
  timeouts_ms: Record<string, number>;
  requests?: Running;
  targets: TargetHealth[];
}

export interface Model {
  id: string;
  owned_by: string;
  capabilities: Record<string, boolean>;
  context_length?: number;
  max_output_tokens?: number;
  targets?: string[];
}

// In US dollars per million tokens.
export interface ModelPrice {
  model: string;
  input: number;
  output: number;
  cache_read?: number;
  cache_write?: number;
  reasoning?: number;
  per_request?: number; // in US dollars
}

export interface Tool {
  name: string;
  source: string; // its name in the config, by which a request asks for it
  description: string;
  params: unknown;
}

export type Range = 'hour' | 'day' | 'week';

export interface Percentiles {
  p50: number | null;
  p90: number | null;
  p99: number | null;
}

export interface TrafficPoint {
  time_ms: number;
  requests: number;
  errors: number;
  input_tokens: number;
  output_tokens: number;
  cost_usd: number;
  first_token_ms: Percentiles;
  total_ms: Percentiles;
}

export interface Running {
  running: number;
  waiting: number;
  limit: number | null;
}

export interface Overview {
  range: Range;
  now_ms: number;
  started_ms: number;
  step_ms: number;
  requests: Running;
  first_token_ms: Percentiles;
  total_ms: Percentiles;
  points: TrafficPoint[];
}

export interface ConfigText {
  file: string | null; // none: there is no file, and the defaults are in use
  text: string;
}

export interface ConfigProblem {
  line: number;
  column: number;
  message: string;
}

export interface Reloaded {
  status: 'reloaded';
  providers_added: string[];
  providers_removed: string[];
  models_added: string[];
  models_removed: string[];
  need_restart: string[];
}
