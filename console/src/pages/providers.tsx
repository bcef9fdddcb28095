// Who can be asked for what, how they fare, and a button to try.

import { useState } from 'preact/hooks';

import { models, prices, providers } from '../api/endpoints';
import { errorOf, isAbort, send } from '../api/http';
import type { Model, ModelPrice, Provider, TargetHealth } from '../api/types';
import { count, duration, plural, usd, words } from '../format';
import { Link } from '../router';
import { Badge } from '../ui/badge';
import { TextField } from '../ui/field';
import { Loading, Problem } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { type Column, Table } from '../ui/table';
import { useQuery } from '../use-query';
import { healthOf, healthOfTarget } from './provider-health';

export function ProvidersPage() {
  const all = useQuery((signal) => providers(signal), [], 3000);
  const known = useQuery((signal) => models(signal), []);
  const priced = useQuery((signal) => prices(signal), []);
  return (
    <Page title="Providers & models">
      <Problem error={all.error} what="The providers can’t be shown" retry={all.reload} />
      {!all.data && !all.error && <Loading />}
      <div class="cards">
        {all.data?.data.map((provider) => <ProviderCard key={provider.name} provider={provider} models={known.data?.data ?? []} />)}
      </div>
      <Section title="Models">
        <Problem error={known.error} what="The models can’t be shown" retry={known.reload} />
        {known.data && <ModelTable models={known.data.data} prices={priced.data?.data ?? []} />}
      </Section>
    </Page>
  );
}

const targetColumns: readonly Column<TargetHealth>[] = [
  { title: 'Target', cell: ({ target }) => target.slice(target.indexOf('/') + 1) },
  { title: 'State', cell: (target) => <Badge {...healthOfTarget(target)} /> },
  { title: 'Answered', kind: 'number', cell: (target) => count(target.successes) },
  { title: 'Failed', kind: 'number', cell: (target) => count(target.failures) },
  { title: 'First token', kind: 'number', narrow: 'hide', cell: (target) => duration(target.first_token_ms) },
];

function ProviderCard({ provider, models: known }: { provider: Provider; models: readonly Model[] }) {
  const { name, kind, origin, keys, requests, timeouts_ms: timeouts } = provider;
  // What is listed, and what the config's models are aimed at.
  const named = known.flatMap(({ id, targets = [] }) => [...targets, id]).filter((id) => id.startsWith(`${name}/`));
  const own = [...new Set(named)].map((id) => id.slice(name.length + 1));
  const [typed, setTyped] = useState<string>();
  const model = typed ?? own[0] ?? '';
  const times = Object.entries(timeouts).map(([what, ms]) => `${words(what)} ${duration(ms)}`);
  return (
    <section class="card" aria-label={name}>
      <div class="card-head"><h2>{name}</h2><Badge {...healthOf(provider)} /></div>
      <p class="soft">
        {[kind, origin, keys > 1 && plural(keys, 'key'), ...times, requests && `${count(requests.running)} running${requests.limit ? ` of ${count(requests.limit)}` : ''}`]
          .filter(Boolean).join(' · ')}
      </p>
      <Table caption={`Targets of ${name}`} columns={targetColumns} rows={provider.targets} keyOf={({ target }) => target} empty="Nobody has asked it since the gateway started." />
      <div class="toolbar">
        <input
          aria-label={`Model of ${name} to test`} list={`models-of-${name}`} value={model} placeholder="a model’s name" spellcheck={false}
          autoComplete="off" onInput={(event) => setTyped(event.currentTarget.value)}
        />
        <datalist id={`models-of-${name}`}>{own.map((id) => <option key={id} value={id} />)}</datalist>
        <TestButton model={`${name}/${model.trim()}`} disabled={!model.trim()} key={model} />
      </div>
    </section>
  );
}

type Tested = { state: 'idle' | 'running' } | { state: 'done'; good: boolean; text: string };

// Asks for a word or two, and says how long that took, or what went wrong.
function TestButton({ model, disabled }: { model: string; disabled: boolean }) {
  const [tested, setTested] = useState<Tested>({ state: 'idle' });
  const test = async () => {
    setTested({ state: 'running' });
    const began = performance.now();
    try {
      const body = { model, max_tokens: 16, retries: 0, messages: [{ role: 'user', content: 'Answer with one word: ready?' }] };
      const response = await send('/v1/chat/completions', { method: 'POST', body });
      if (!response.ok) throw await errorOf(response);
      await response.json();
      setTested({ state: 'done', good: true, text: `answered in ${duration(performance.now() - began)}` });
    } catch (problem) {
      if (!isAbort(problem)) setTested({ state: 'done', good: false, text: problem instanceof Error ? problem.message : String(problem) });
    }
  };
  return (
    <>
      <button type="button" disabled={disabled || tested.state === 'running'} onClick={() => void test()} aria-label={`Test ${model}`}>
        {tested.state === 'running' ? 'Asking …' : 'Test'}
      </button>
      <span role="status" class={tested.state === 'done' && !tested.good ? 'bad-text' : 'good-text'}>
        {tested.state === 'done' && tested.text}
      </span>
    </>
  );
}

type PriceOf = (model: Model) => string;

const modelColumns = (priceOf: PriceOf): readonly Column<Model>[] => [
  { title: 'Model', cell: (model) => <Link to={`/playground?model=${encodeURIComponent(model.id)}`} label={`${model.id}: open in the playground`}>{model.id}</Link> },
  { title: 'Targets', narrow: 'hide', cell: (model) => model.targets?.join(', ') ?? model.owned_by },
  { title: 'Can', narrow: 'hide', cell: (model) => Object.entries(model.capabilities).filter(([, can]) => can).map(([name]) => name).join(', ') },
  { title: 'Context', kind: 'number', narrow: 'hide', cell: (model) => (model.context_length ? count(model.context_length) : '–') },
  { title: 'Input / output per million', kind: 'number', cell: priceOf },
];

const inWords = ({ input, output, per_request: fee }: ModelPrice): string =>
  `${usd(input)} / ${usd(output)}${fee ? ` + ${usd(fee)} a request` : ''}`;

// A model of the config costs what its targets do.
function pricesFrom(prices: readonly ModelPrice[]): PriceOf {
  const known = new Map(prices.map((price) => [price.model, inWords(price)]));
  return ({ id, targets = [id] }) => [...new Set(targets.map((target) => known.get(target) ?? '–'))].join(', ');
}

function ModelTable({ models: all, prices: priced }: { models: readonly Model[]; prices: readonly ModelPrice[] }) {
  const [wanted, setWanted] = useState('');
  const shown = all.filter(({ id }) => id.toLowerCase().includes(wanted.toLowerCase().trim()));
  return (
    <>
      <TextField label="Find a model" type="search" value={wanted} onInput={setWanted} class="short" />
      <p class="off-screen" role="status">{wanted && plural(shown.length, 'model')}</p>
      <Table
        caption="Models that can be asked for" columns={modelColumns(pricesFrom(priced))} rows={shown} keyOf={({ id }) => id}
        empty={wanted ? 'No model is called that.' : 'There are no models.'}
      />
    </>
  );
}
