// Who was asked when, and for how long: each attempt and tool as a bar on one scale.

import { hasFailed, type LogRecord } from '../api/types';
import { duration, took, words } from '../format';

interface Bar {
  title: string;
  kind: 'good' | 'bad' | 'tool' | 'plain';
  from: number;
  until: number;
  firstToken: number | undefined; // where in the bar, in ms
  note: string;
}

function barsOf(record: LogRecord): Bar[] {
  const whole = record.timings_ms.total;
  const toolsBegan = record.tools.map((tool) => tool.started_ms);
  const attempts = record.attempts.map((attempt): Bar => ({
    title: attempt.target + (attempt.hedge ? ' (hedge)' : ''),
    kind: hasFailed(attempt) ? 'bad' : attempt.error ? 'plain' : 'good',
    from: attempt.started_ms,
    until: attempt.started_ms + (attempt.total_ms || attempt.error ? attempt.total_ms : Math.max(0, whole - attempt.started_ms)),
    firstToken: attempt.first_token_ms ?? undefined,
    note: attempt.error ? words(attempt.error) : toolsBegan.some((began) => began > attempt.started_ms) ? 'called tools' : 'answered',
  }));
  const tools = record.tools.map((tool): Bar => ({
    title: tool.name,
    kind: tool.error ? 'bad' : 'tool',
    from: tool.started_ms,
    until: tool.started_ms + tool.ms,
    firstToken: undefined,
    note: tool.error ? 'tool failed' : 'tool',
  }));
  // The sort is stable: a tool that ran within the millisecond comes before the attempt that reads its result.
  return [...tools, ...attempts].sort((one, other) => one.from - other.from);
}

export function Waterfall({ record }: { record: LogRecord }) {
  const bars = barsOf(record);
  const whole = Math.max(record.timings_ms.total, ...bars.map(({ until }) => until), 1);
  const share = (ms: number) => `${(100 * ms) / whole}%`;
  return (
    <>
      <ol class="waterfall">
        {bars.map((bar, index) => (
          <li key={index}>
            <div class="waterfall-name">
              <span>{bar.title}</span>
              <small class={bar.kind === 'bad' ? 'bad-text' : 'soft'}>{bar.note} · {took(bar.until - bar.from)}</small>
            </div>
            <div class="waterfall-track" aria-hidden="true">
              <div class={`waterfall-bar ${bar.kind}`} style={{ left: share(bar.from), width: share(bar.until - bar.from) }}>
                {bar.firstToken !== undefined && bar.until > bar.from && (
                  <i style={{ left: `${Math.min(100, (100 * bar.firstToken) / (bar.until - bar.from))}%` }} />
                )}
              </div>
            </div>
          </li>
        ))}
      </ol>
      <div class="waterfall-scale soft" aria-hidden="true"><span>0</span><span>{duration(whole / 2)}</span><span>{duration(whole)}</span></div>
      {bars.some(({ firstToken }) => firstToken !== undefined) && <p class="soft small-print">A line in a bar marks the first token.</p>}
    </>
  );
}
