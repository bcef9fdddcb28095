// Talk to any model, or to two side by side, and see the frames that its answer is made of.

import { useEffect, useRef, useState } from 'preact/hooks';

import { models as askModels } from '../api/endpoints';
import type { Model } from '../api/types';
import { usePlace } from '../router';
import { type Message, Turn } from '../stream/turn';
import { Check, SelectField } from '../ui/field';
import { Loading, Problem } from '../ui/notice';
import { Page } from '../ui/page';
import { useQuery } from '../use-query';
import { fieldsOf, type Options, PlaygroundOptions, usualOptions } from './playground-options';
import { PlaygroundPanel } from './playground-panel';

export function PlaygroundPage() {
  const known = useQuery((signal) => askModels(signal), []);
  return (
    <Page title="Playground">
      <Problem error={known.error} what="The models can’t be listed" retry={known.reload} />
      {!known.data && !known.error && <Loading />}
      {known.data && <Playground models={known.data.data} />}
    </Page>
  );
}

interface Beginning {
  model: string;
  question: string;
  before: Message[]; // what was said before the question
}

// What to begin with: the model that the address names, or a request that somebody wants to send again.
function beginningOf(query: URLSearchParams, models: readonly Model[]): Beginning {
  const usual = models.find(({ id }) => id === query.get('model'))?.id ?? models.find(({ id }) => !id.includes('/'))?.id ?? models[0]?.id ?? '';
  const kept = query.get('from') === 'request' ? sessionStorage.getItem('runnel-playground') : null;
  if (!kept) return { model: usual, question: '', before: [] };
  const { model, messages = [] } = JSON.parse(kept) as { model?: string; messages?: Message[] };
  const last = messages.at(-1);
  const asks = last?.role === 'user' && typeof last.content === 'string';
  return {
    model: model ?? usual,
    question: asks ? (last.content as string) : '',
    before: asks ? messages.slice(0, -1) : messages,
  };
}

// The conversation with one model so far, with the new question.
function messagesFor(turns: readonly Turn[], before: readonly Message[], options: Options, question: string): Message[] {
  const system: Message[] = options.system.trim() ? [{ role: 'system', content: options.system.trim() }] : [];
  const said = turns.flatMap((turn): Message[] => {
    const answer = turn.list.text();
    return [{ role: 'user', content: turn.question }, ...(answer ? [{ role: 'assistant', content: answer } as const] : [])];
  });
  return [...system, ...before, ...said, { role: 'user', content: question }];
}

function Playground({ models }: { models: readonly Model[] }) {
  const { query } = usePlace();
  const [{ model, question: firstQuestion, before }] = useState(() => beginningOf(query, models));
  const [chosen, setChosen] = useState<[string, string]>([model, '']);
  const [options, setOptions] = useState(usualOptions);
  const [frames, setFrames] = useState(true);
  const [question, setQuestion] = useState(firstQuestion);
  const [turns, setTurns] = useState<[Turn[], Turn[]]>([[], []]);
  const [, draw] = useState(0);
  const stop = useRef<AbortController>(undefined);
  useEffect(() => () => stop.current?.abort(), []);

  const panels = chosen[1] ? ([0, 1] as const) : ([0] as const);
  const running = panels.some((panel) => turns[panel].at(-1)?.state === 'running');

  const ask = () => {
    const asked = question.trim();
    if (!asked || running) return;
    stop.current = new AbortController();
    const { signal } = stop.current;
    // As often as the screen can show it, however fast the frames come.
    let waiting = false;
    const changed = () => {
      if (waiting) return;
      waiting = true;
      requestAnimationFrame(() => {
        waiting = false;
        draw((count) => count + 1);
      });
    };
    const next: [Turn[], Turn[]] = [turns[0], turns[1]];
    for (const panel of panels) {
      const messages = messagesFor(turns[panel], before, options, asked);
      const wish = { model: chosen[panel], dialect: options.dialect, messages, fields: fieldsOf(options), key: options.key.trim() };
      const turn = new Turn(asked, wish);
      next[panel] = [...turns[panel], turn];
      void turn.run(signal, changed);
    }
    setTurns(next);
    setQuestion('');
  };
  const forget = () => {
    stop.current?.abort();
    setTurns([[], []]);
  };
  const names = models.map(({ id }) => [id, id] as const);
  const withOwn = (id: string) => (id && !names.some(([name]) => name === id) ? [[id, id] as const, ...names] : names);
  return (
    <div class="playground">
      <div class="toolbar">
        <SelectField label="Model" value={chosen[0]} options={withOwn(chosen[0])} onChange={(id) => setChosen([id, chosen[1]])} />
        <SelectField label="Beside it" value={chosen[1]} options={[['', 'none'], ...withOwn(chosen[1])]} onChange={(id) => setChosen([chosen[0], id])} />
        <Check label="Raw frames" checked={frames} onChange={setFrames} />
        <button type="button" class="quiet" onClick={forget} disabled={turns[0].length + turns[1].length === 0}>New conversation</button>
      </div>
      <PlaygroundOptions options={options} onChange={setOptions} />
      {before.length > 0 && <p class="soft">{before.length} earlier messages of that request are sent along.</p>}
      <div class={`panels ${panels.length === 2 ? 'two' : 'one'}`}>
        {panels.map((panel) => (
          <PlaygroundPanel key={panel} model={chosen[panel]} turns={turns[panel]} frames={frames ? 'shown' : 'hidden'} />
        ))}
      </div>
      <Composer question={question} onInput={setQuestion} running={running} onAsk={ask} onStop={() => stop.current?.abort()} />
    </div>
  );
}

interface ComposerProps {
  question: string;
  onInput: (question: string) => void;
  running: boolean;
  onAsk: () => void;
  onStop: () => void;
}

function Composer({ question, onInput, running, onAsk, onStop }: ComposerProps) {
  const onKeyDown = (event: KeyboardEvent) => {
    if (event.key === 'Escape' && running) onStop();
    if (event.key !== 'Enter' || event.shiftKey || event.isComposing) return;
    event.preventDefault();
    onAsk();
  };
  const submit = (event: Event) => {
    event.preventDefault();
    onAsk();
  };
  return (
    <form class="composer" onSubmit={submit}>
      <textarea
        aria-label="Your message" placeholder="Ask something. Enter sends, Shift + Enter is a new line." rows={2} value={question}
        onInput={(event) => onInput(event.currentTarget.value)} onKeyDown={onKeyDown}
      />
      {running
        ? <button type="button" class="danger" onClick={onStop} title="Escape stops it too">Stop</button>
        : <button class="main" disabled={!question.trim()}>Send</button>}
    </form>
  );
}
