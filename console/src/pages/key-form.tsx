// What can be said about a key: the same form makes one and changes one.

import type { ComponentChildren } from 'preact';

import type { ApiError } from '../api/http';
import { type Key, type LimitName, limitNames, type Period, scopes } from '../api/types';
import { dialects } from '../stream/dialects';
import { Check, SelectField, TextField } from '../ui/field';
import { Notice } from '../ui/notice';

export interface KeyFields {
  name: string;
  kind: Key['kind'];
  team: string;
  models: string; // separated by commas, as origins and addresses are
  tools: string; // the same; empty: all
  scopes: string[]; // none: all that the kind may have
  expires: string; // local, as an input has it
  limits: Record<LimitName, string>;
  usd: string;
  period: Period;
  origins: string;
  addresses: string;
  dialect: string;
  keepsContent: boolean;
  mayCache: boolean;
}

export const emptyForm: KeyFields = {
  name: '', kind: 'secret', team: '', models: '', tools: '', scopes: [], expires: '',
  limits: { rpm: '', rpd: '', tpm: '', tpd: '', concurrency: '' },
  usd: '', period: 'month', origins: '', addresses: '', dialect: '', keepsContent: false, mayCache: true,
};

// The time as an input of type datetime-local writes it, in the user's own zone.
function local(time: string | null): string {
  if (!time) return '';
  const at = new Date(time);
  return new Date(at.getTime() - at.getTimezoneOffset() * 60_000).toISOString().slice(0, 16);
}

export function formOf(key: Key): KeyFields {
  const limits = Object.fromEntries(limitNames.map((name) => [name, key.limits[name]?.toString() ?? ''])) as KeyFields['limits'];
  return {
    name: key.name, kind: key.kind, team: key.team ?? '', models: key.models.join(', '), tools: textOfTools(key.tools),
    scopes: key.scopes.includes('*') ? [] : key.scopes, expires: local(key.expires_at), limits,
    usd: key.budget?.usd.toString() ?? '', period: key.budget?.period ?? 'month', origins: key.origins.join(', '),
    addresses: key.addresses.join(', '), dialect: key.dialect ?? '', keepsContent: key.keeps_content, mayCache: key.may_cache,
  };
}

const noTools = 'none';
const textOfTools = (tools: Key['tools']): string => (tools?.length === 0 ? noTools : (tools ?? []).join(', '));
const toolsIn = (text: string): Key['tools'] => (text.trim() === '' ? null : text.trim() === noTools ? [] : listOf(text));
const listOf = (text: string): string[] => text.split(/[\s,]+/).filter(Boolean);
const numberOrNull = (text: string): number | null => (text.trim() === '' ? null : Number(text));

// What the gateway is sent. A change sends nulls for what is to go; a new key leaves them out.
export function bodyOf(form: KeyFields, purpose: 'create' | 'change'): object {
  const limits = Object.fromEntries(limitNames.map((name) => [name, numberOrNull(form.limits[name])]));
  const budget = numberOrNull(form.usd);
  const all = {
    name: form.name.trim(),
    ...(purpose === 'create' ? { kind: form.kind } : {}),
    team: form.team.trim() || null,
    models: listOf(form.models),
    tools: toolsIn(form.tools),
    ...(form.scopes.length ? { scopes: form.scopes } : form.kind === 'secret' && purpose === 'change' ? { scopes: ['*'] } : {}),
    expires_at: form.expires ? new Date(form.expires).toISOString() : null,
    limits,
    budget: budget === null ? null : { usd: budget, period: form.period },
    origins: listOf(form.origins),
    addresses: listOf(form.addresses),
    dialect: form.dialect || null,
    keeps_content: form.keepsContent,
    may_cache: form.mayCache,
  };
  return purpose === 'change' ? all : Object.fromEntries(Object.entries(all).filter(([, value]) => value !== null));
}

const limitTitles: Record<LimitName, string> = {
  rpm: 'Requests per minute', rpd: 'Requests per day', tpm: 'Tokens per minute', tpd: 'Tokens per day', concurrency: 'At a time',
};

const periodOptions: readonly (readonly [Period, string])[] = [['day', 'per day'], ['week', 'per week'], ['month', 'per month'], ['total', 'in all']];

interface KeyFormProps {
  form: KeyFields;
  onChange: (form: KeyFields) => void;
  purpose: 'create' | 'change';
  error: ApiError | undefined;
  onSubmit: () => void;
  children: ComponentChildren; // the buttons
}

export function KeyForm({ form, onChange, purpose, error, onSubmit, children }: KeyFormProps) {
  const set = (changes: Partial<KeyFields>) => onChange({ ...form, ...changes });
  const toggleScope = (scope: string, on: boolean) =>
    set({ scopes: on ? [...form.scopes, scope] : form.scopes.filter((other) => other !== scope) });
  const submit = (event: Event) => {
    event.preventDefault();
    onSubmit();
  };
  return (
    <form class="stack" onSubmit={submit}>
      {error && <Notice kind="bad" title={error.param ? `${error.param} is not right` : 'That did not work'}>{error.message}</Notice>}
      <div class="columns">
        <TextField label="Name" value={form.name} onInput={(name) => set({ name })} required placeholder="who or what uses it" autoComplete="off" />
        <TextField label="Team" value={form.team} onInput={(team) => set({ team })} autoComplete="off" />
        {purpose === 'create' && (
          <SelectField
            label="Kind" value={form.kind} onChange={(kind) => set({ kind, scopes: [] })}
            options={[['secret', 'Secret, for servers'], ['browser', 'Browser, which anybody can read']]}
          />
        )}
        <TextField label="Ends" type="datetime-local" value={form.expires} onInput={(expires) => set({ expires })} hint="Empty: never" />
      </div>
      <TextField label="Models" value={form.models} onInput={(models) => set({ models })} hint="Separated by commas; a name may end in *. Empty: every model" placeholder="fast, openai/*" autoComplete="off" />
      <fieldset>
        <legend>Budget</legend>
        <div class="columns">
          <TextField label="US dollars" type="number" min={0} step="any" value={form.usd} onInput={(usd) => set({ usd })} hint="Empty: no budget" />
          <SelectField label="Period" value={form.period} options={periodOptions} onChange={(period) => set({ period })} />
        </div>
      </fieldset>
      <fieldset>
        <legend>Limits <small>empty: none</small></legend>
        <div class="columns narrow">
          {limitNames.map((name) => (
            <TextField
              key={name} label={limitTitles[name]} type="number" min={0} step="1" value={form.limits[name]}
              onInput={(text) => set({ limits: { ...form.limits, [name]: text } })}
            />
          ))}
        </div>
      </fieldset>
      <Check label="Keep what is said, so that the console can show timelines" checked={form.keepsContent} onChange={(keepsContent) => set({ keepsContent })} />
      <details>
        <summary>More</summary>
        <div class="stack">
          {form.kind === 'secret' && (
            <fieldset>
              <legend>May be used for <small>none chosen: everything</small></legend>
              <div class="checks">
                {scopes.map((scope) => <Check key={scope} label={scope} checked={form.scopes.includes(scope)} onChange={(on) => toggleScope(scope, on)} />)}
              </div>
            </fieldset>
          )}
          {form.kind === 'secret' && (
            <TextField label="Tools" value={form.tools} onInput={(tools) => set({ tools })} placeholder="now, files" hint={`Of the gateway’s, that may be run for it, separated by commas. Empty: all; ${noTools}: none`} autoComplete="off" />
          )}
          <TextField label="Only from these pages" value={form.origins} onInput={(origins) => set({ origins })} placeholder="https://app.example.com" hint="Origins, separated by commas" autoComplete="off" />
          <TextField label="Only from these addresses" value={form.addresses} onInput={(addresses) => set({ addresses })} placeholder="10.0.0.0/8, 2001:db8::/32" hint="IP addresses and ranges, separated by commas" autoComplete="off" />
          <SelectField label="Dialect" value={form.dialect} options={[['', 'The model’s'], ...dialects.map((name) => [name, name] as const)]} onChange={(dialect) => set({ dialect })} />
          <Check label="May be answered from the cache" checked={form.mayCache} onChange={(mayCache) => set({ mayCache })} />
        </div>
      </details>
      {children}
    </form>
  );
}
