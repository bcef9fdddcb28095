import { useEffect, useState } from 'preact/hooks';

import { models, providers } from '../api/endpoints';
import { setQuery } from '../router';
import { SelectField, TextField } from '../ui/field';
import { useQuery } from '../use-query';
import type { KeyNames } from './key-names';

export interface Filter {
  id: string;
  model: string;
  key: string;
  provider: string;
  result: string; // failed, or a status such as 429 or 5xx
  span: string; // one of spans; empty: all the time
  from: string; // local, as an input of type datetime-local has it
  to: string;
}

export const spans: Record<string, { title: string; ms: number } | undefined> = {
  '15m': { title: 'Last 15 minutes', ms: 15 * 60_000 },
  '1h': { title: 'Last hour', ms: 3_600_000 },
  '1d': { title: 'Last day', ms: 86_400_000 },
  '7d': { title: 'Last 7 days', ms: 7 * 86_400_000 },
  '30d': { title: 'Last 30 days', ms: 30 * 86_400_000 },
};

const results = [
  ['', 'Any'],
  ['failed', 'Failed'],
  ['2xx', '2xx'],
  ['4xx', '4xx'],
  ['429', '429 too many'],
  ['5xx', '5xx'],
] as const;

const typingPause = 300;

// Text that goes to the address when its writer pauses.
function useTyped(name: keyof Filter, value: string): [string, (text: string) => void] {
  const [typed, setTyped] = useState(value);
  useEffect(() => setTyped(value), [value]);
  useEffect(() => {
    if (typed === value) return;
    const timer = setTimeout(() => setQuery({ [name]: typed.trim() }), typingPause);
    return () => clearTimeout(timer);
  }, [typed]);
  return [typed, setTyped];
}

export function RequestFilter({ filter, names }: { filter: Filter; names: KeyNames }) {
  const [id, setId] = useTyped('id', filter.id);
  const [model, setModel] = useTyped('model', filter.model);
  const known = useQuery((signal) => models(signal), []);
  const asked = useQuery((signal) => providers(signal), []);
  const custom = Boolean(filter.from || filter.to || filter.span === 'custom');

  const chooseSpan = (span: string) =>
    setQuery(span === 'custom' ? { span } : { span, from: undefined, to: undefined });
  const keyOptions: (readonly [string, string])[] = [['', 'Any'], ...names];
  if (filter.key && !keyOptions.some(([option]) => option === filter.key)) keyOptions.push([filter.key, filter.key]);
  const providerOptions: (readonly [string, string])[] = [['', 'Any'], ...(asked.data?.data ?? []).map(({ name }) => [name, name] as const)];
  return (
    <form class="filters" role="search" aria-label="Filter requests" onSubmit={(event) => event.preventDefault()}>
      <TextField label="Id" type="search" value={id} onInput={setId} placeholder="chatcmpl-… or req_…" autoComplete="off" />
      <TextField label="Model" type="search" value={model} onInput={setModel} placeholder="any" list="filter-models" autoComplete="off" />
      <datalist id="filter-models">{known.data?.data.map(({ id: name }) => <option key={name} value={name} />)}</datalist>
      <SelectField label="Result" value={filter.result} options={results} onChange={(result) => setQuery({ result })} />
      <SelectField
        label="Time" value={custom ? 'custom' : filter.span} onChange={chooseSpan}
        options={[['', 'Any time'], ...Object.entries(spans).map(([name, span]) => [name, span!.title] as const), ['custom', 'From … to …']]}
      />
      {keyOptions.length > 1 && <SelectField label="Key" value={filter.key} options={keyOptions} onChange={(key) => setQuery({ key })} />}
      {providerOptions.length > 2 && (
        <SelectField label="Provider" value={filter.provider} options={providerOptions} onChange={(provider) => setQuery({ provider })} />
      )}
      {custom && (
        <>
          <TextField label="From" type="datetime-local" value={filter.from} onInput={(from) => setQuery({ from, span: undefined })} />
          <TextField label="To" type="datetime-local" value={filter.to} onInput={(to) => setQuery({ to, span: undefined })} />
        </>
      )}
    </form>
  );
}
