import { hasFailed, type LogRecord } from '../api/types';
import { words } from '../format';

type Tone = 'good' | 'bad' | 'warn' | 'plain';

export const Badge = ({ tone, text }: { tone: Tone; text: string }) => <span class={`badge ${tone}`}>{text}</span>;

// The status that the client saw, and what happened; after the first byte the status is no help.
export function failureOf({ status, error }: LogRecord): string {
  const code = words(error?.code ?? 'error');
  return status === 200 ? `${code} mid-stream` : `${status || ''} ${code}`.trim();
}

// How a request went: its status, and where it says more, its error or finish.
export function OutcomeBadge({ record }: { record: LogRecord }) {
  if (record.outcome === 'client_closed') return <Badge tone="warn" text="client left" />;
  if (record.outcome === 'crashed') return <Badge tone="bad" text="process ended" />;
  if (record.outcome === 'error') return <Badge tone="bad" text={failureOf(record)} />;
  const odd = record.finish_reason === 'length' || record.finish_reason === 'content_filter';
  const failedOver = record.attempts.some(hasFailed);
  if (odd) return <Badge tone="warn" text={`${record.status} ${words(record.finish_reason ?? '')}`} />;
  return <Badge tone="good" text={failedOver ? `${record.status} after failover` : `${record.status}`} />;
}
