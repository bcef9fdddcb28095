import { useEffect, useRef } from 'preact/hooks';

import type { ApiError } from '../api/http';
import { duration, plural } from '../format';
import { Link } from '../router';
import { asCurl } from '../stream/curl';
import type { Turn } from '../stream/turn';
import { Copy } from '../ui/copy';
import { FrameList } from '../ui/frames';
import { Notice } from '../ui/notice';
import { Steps } from '../ui/steps';

interface PanelProps {
  model: string;
  turns: readonly Turn[];
  frames: 'shown' | 'hidden';
}

export function PlaygroundPanel({ model, turns, frames }: PanelProps) {
  const end = useRef<HTMLDivElement>(null);
  const last = turns.at(-1);
  // Keeps up with what comes, unless the reader has gone up.
  useEffect(() => {
    const page = document.documentElement;
    const nearEnd = page.scrollHeight - page.scrollTop - page.clientHeight < 200;
    if (last?.state === 'running' && nearEnd) end.current?.scrollIntoView({ block: 'nearest' });
  });
  return (
    <section class="panel" aria-label={`Conversation with ${model}`}>
      <h2>{model}</h2>
      {turns.length === 0 && <p class="soft">Nothing has been said yet.</p>}
      {turns.map((turn, index) => <TurnView key={index} turn={turn} frames={frames} />)}
      <p class="off-screen" role="status">{last && announcement(model, last)}</p>
      <div ref={end} />
    </section>
  );
}

// Said once when it begins and once when it is over: a stream of words would never let a listener go.
function announcement(model: string, turn: Turn): string {
  if (turn.state === 'running') return `${model} is answering.`;
  if (turn.state === 'stopped') return `${model} was stopped.`;
  if (turn.state === 'failed') return `${model} failed.`;
  return `${model} has answered: ${turn.list.text()}`;
}

function TurnView({ turn, frames }: { turn: Turn; frames: 'shown' | 'hidden' }) {
  return (
    <article class="turn">
      <p class="question">{turn.question}</p>
      <div class={frames === 'shown' ? 'turn-both' : ''}>
        <div>
          {!turn.problem && (
            <Steps list={turn.list} stamp={turn.frames.length} running={turn.state === 'running'} times="hidden" label="Answer" />
          )}
          {turn.problem && <Refused error={turn.problem} />}
          {turn.state === 'stopped' && <p class="soft">Stopped.</p>}
          <TurnFacts turn={turn} />
        </div>
        {frames === 'shown' && turn.frames.length > 0 && (
          <FrameList frames={turn.frames} label={`Raw frames in ${turn.wish.dialect}`} times="shown" />
        )}
      </div>
    </article>
  );
}

function Refused({ error }: { error: ApiError }) {
  const asksForKey = error.status === 401;
  return (
    <Notice kind="bad" title={error.code ? `${error.status} ${error.code}` : 'That did not work'}>
      <p>{error.message}</p>
      {asksForKey && <p>This gateway answers chats with a key only: make one under <Link to="/keys">Keys</Link>, and put it into the options above.</p>}
    </Notice>
  );
}

function TurnFacts({ turn }: { turn: Turn }) {
  if (turn.state === 'running') return null;
  const facts = [
    turn.servedBy !== turn.wish.model && turn.servedBy,
    turn.attempts > 1 && plural(turn.attempts, 'attempt'),
    turn.firstToken !== undefined && `first token ${duration(turn.firstToken)}`,
    turn.total !== undefined && `total ${duration(turn.total)}`,
    turn.warnings,
  ].filter(Boolean).join(' · ');
  return (
    <div class="turn-facts">
      <span class="soft">{facts}</span>
      {turn.id && <Link to={`/requests/${encodeURIComponent(turn.id)}`}>See the request</Link>}
      <Copy label="Copy as curl" text={() => asCurl({ origin: location.origin, body: turn.body(), dialect: turn.wish.dialect, needsKey: Boolean(turn.wish.key) })} />
    </div>
  );
}
