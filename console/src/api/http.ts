// Asking the gateway, and what it says when it refuses.

export class ApiError extends Error {
  constructor(
    message: string,
    readonly status: number, // 0: nobody answered
    readonly code = '',
    readonly param = '',
    readonly body: unknown = undefined,
  ) {
    super(message);
    this.name = 'ApiError';
  }
}

// Whoever wants to know that a session is over.
type SessionListener = (error: ApiError) => void;
let onSessionOver: SessionListener = () => {};
export const whenSessionIsOver = (listener: SessionListener): void => void (onSessionOver = listener);

export interface Asking {
  method?: 'GET' | 'POST' | 'PATCH' | 'DELETE';
  body?: unknown;
  headers?: Record<string, string>;
  signal?: AbortSignal | undefined;
}

// The gateway's cookie goes along by itself; this header proves that a page of its own is asking.
const ownPage = { 'X-Runnel-Console': '1' };

export async function send(path: string, { method = 'GET', body, headers, signal }: Asking = {}): Promise<Response> {
  const request: RequestInit = { method, headers: { ...ownPage, ...headers }, credentials: 'same-origin' };
  if (signal) request.signal = signal;
  if (body !== undefined) {
    request.headers = { 'Content-Type': 'application/json', ...request.headers };
    request.body = JSON.stringify(body);
  }
  try {
    return await fetch(path, request);
  } catch (problem) {
    if (signal?.aborted) throw problem;
    throw new ApiError('The gateway does not answer.', 0);
  }
}

export async function ask<Answer>(path: string, asking: Asking = {}): Promise<Answer> {
  const response = await send(path, asking);
  if (!response.ok) throw await errorOf(response, asking);
  return (await response.json()) as Answer;
}

export async function askText(path: string, asking: Asking = {}): Promise<string> {
  const response = await send(path, asking);
  if (!response.ok) throw await errorOf(response, asking);
  return response.text();
}

interface ErrorBody {
  error?: { message?: string; code?: string; param?: string | null };
}

// What a refusal says. One that asks who we are ends the session, unless the request brought a key of its own.
export async function errorOf(response: Response, asking: Asking = {}): Promise<ApiError> {
  const text = await response.text();
  let body: ErrorBody = {};
  try {
    body = JSON.parse(text) as ErrorBody;
  } catch {
    // A proxy's page, perhaps.
  }
  const { message = `The gateway answered ${response.status}.`, code = '', param } = body.error ?? {};
  const error = new ApiError(message, response.status, code, param ?? '', body);
  if (response.status === 401 && !asking.headers?.Authorization) onSessionOver(error);
  return error;
}

export const isAbort = (problem: unknown): boolean => problem instanceof DOMException && problem.name === 'AbortError';

export const asApiError = (problem: unknown): ApiError =>
  problem instanceof ApiError ? problem : new ApiError(problem instanceof Error ? problem.message : String(problem), 0);
