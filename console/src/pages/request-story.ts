// What happened to a request, in sentences.

import { type Attempt, hasFailed, type LogRecord } from '../api/types';
import { duration, plural, providerSaid, words } from '../format';

// What each error means to whoever operates the gateway, and what to look at.
const advice: Record<string, string> = {
  upstream_auth: 'The provider refused the gateway’s own key. Check api_key of that provider in the config.',
  upstream_permission: 'The gateway’s key may not use this model. Check the account at the provider.',
  upstream_quota: 'The gateway’s account at the provider is out of quota or money.',
  upstream_failed: 'The provider itself failed; its status page may know more. A model with several targets asks the next one.',
  upstream_rate_limited: 'The provider limits how much it is asked. Add a target or another key, or ask less at a time.',
  upstream_overloaded: 'The provider had too much to do. Another target of the model would be asked instead.',
  upstream_unreachable: 'No connection to the provider came about. Check base_url, the network and the proxy.',
  upstream_timeout: 'Nothing came from the provider in time. Its timeouts can be changed in the config.',
  upstream_truncated: 'The provider’s stream ended without its end mark: the answer may be incomplete.',
  upstream_malformed: 'The provider’s answer could not be read. Is base_url that of an API of this kind?',
  upstream_rejected: 'The provider refused the request itself; the detail says why.',
  context_length_exceeded: 'The conversation is longer than the model takes.',
  rate_limit_exceeded: 'The key or its team reached a limit of this gateway.',
  concurrency_limit_exceeded: 'The key had as many requests running as it may.',
  key_spend_limit_reached: 'The key’s budget is spent. Raise it, or wait for its next period.',
  insufficient_balance: 'The team’s or the model’s budget is spent.',
  guardrail_blocked: 'A guardrail stopped it; its name is below.',
  overloaded: 'The gateway had as many requests as it takes at a time (limits.concurrent).',
  model_not_found: 'Nothing is called that. The list is on the page of providers and models.',
  missing_api_key: 'The client sent no key.',
  invalid_api_key: 'The client’s key is not known: mistyped, revoked or replaced.',
  expired_api_key: 'The client’s key is past its time.',
};

const tooLate = 'What has been streamed can’t be taken back, so no other target was asked.';

const failures = (record: LogRecord): Attempt[] => record.attempts.filter(hasFailed);

// A sentence, whatever the words of others in it end with.
const ended = (text: string): string => (/[.!?]$/.test(text) ? text : `${text}.`);

export function whatHappened(record: LogRecord): string[] {
  return [...attemptsTold(record), ...endTold(record), ...besides(record)].filter(Boolean);
}

function attemptsTold(record: LogRecord): string[] {
  return failures(record).map((attempt) => {
    const detail = attempt.detail ? `: ${providerSaid(attempt.detail)}` : '';
    const when = attempt.total_ms ? `after ${duration(attempt.total_ms)}` : 'at once';
    return ended(`${attempt.target} failed ${when} (${words(attempt.error ?? '')})${detail}`);
  });
}

function endTold(record: LogRecord): string[] {
  const { outcome, error, timings_ms: times } = record;
  if (outcome === 'crashed') return ['The gateway’s process ended before the request did. Nothing else is known of it.'];
  if (outcome === 'client_closed')
    return [`The client closed the connection after ${duration(times.total)}${times.first_token === null ? ', before anything had come' : ''}. The provider’s stream was cancelled.`];
  if (outcome === 'error') {
    const code = error?.code ?? '';
    const late = record.status === 200;
    const told = late ? 'got part of the answer, then the error' : `was told ${record.status || 'nothing'},`;
    const sameTold = failures(record).some((attempt) => attempt.detail && attempt.detail === error?.detail);
    const detail = error?.detail && !sameTold ? `: ${providerSaid(error.detail)}` : '';
    return [ended(`The client ${told} ${words(code) || 'an error'}${detail}`), late && !record.continued_by ? tooLate : '', advice[code] ?? ''];
  }
  const served = failures(record).length ? `${record.model_served ?? 'Another target'} then answered` : `${record.model_served ?? 'It'} answered`;
  const first = times.first_token === null ? '' : `, the first token after ${duration(times.first_token)}`;
  return [`${served} in ${duration(times.total)}${first}${finishTold(record)}.`];
}

function finishTold({ finish_reason: finish }: LogRecord): string {
  if (finish === 'length') return ', and stopped at its token limit';
  if (finish === 'content_filter') return ', and was stopped by a content filter';
  if (finish === 'tool_calls') return ', and called tools of the client';
  return '';
}

function besides(record: LogRecord): string[] {
  const { rounds, tools, cache, guardrails, rerouted_from: rerouted, continued_by: continued } = record;
  const failedTools = tools.filter((tool) => tool.error);
  return [
    tools.length ? `The gateway ran ${plural(tools.length, 'tool')} in ${plural(rounds, 'round')}${failedTools.length ? `; ${plural(failedTools.length, 'run')} failed` : ''}.` : '',
    cache === 'HIT' ? 'It was answered from the cache.' : '',
    guardrails.length ? `Guardrails found something: ${guardrails.join(', ')}.` : '',
    rerouted ? `${rerouted} can’t stream, so another model stood in.` : '',
    continued ? `The answer broke off, and ${continued} went on with it${record.continuation === 'differs' ? ', though not where it had stopped' : ''}.` : '',
  ];
}
