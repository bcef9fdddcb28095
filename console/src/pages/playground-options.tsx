import { tools as askTools } from '../api/endpoints';
import { type Dialect, dialects } from '../stream/dialects';
import { Check, Field, SelectField, TextField } from '../ui/field';
import { Problem } from '../ui/notice';
import { useQuery } from '../use-query';

export interface Options {
  dialect: Dialect;
  tools: 'model' | 'off' | 'chosen';
  chosenTools: string[];
  system: string;
  temperature: string;
  maxTokens: string;
  key: string;
}

export const usualOptions: Options = {
  dialect: 'timeline', tools: 'model', chosenTools: [], system: '', temperature: '', maxTokens: '', key: '',
};

// The body's fields that the options stand for.
export function fieldsOf(options: Options): Record<string, unknown> {
  return {
    ...(options.temperature ? { temperature: Number(options.temperature) } : {}),
    ...(options.maxTokens ? { max_completion_tokens: Number(options.maxTokens) } : {}),
    ...(options.tools === 'off' ? { tool_choice: 'none' } : {}),
    ...(options.tools === 'chosen' && options.chosenTools.length ? { builtin_tools: { tools: options.chosenTools } } : {}),
    ...(options.dialect === 'timeline' ? { servertool_results: true } : {}),
    ...(options.dialect === 'openai' ? { tool_events: 'comment' } : {}),
  };
}

const toolOptions = [['model', 'The model’s own'], ['off', 'Off'], ['chosen', 'The model’s, and …']] as const;

interface Props {
  options: Options;
  onChange: (options: Options) => void;
}

export function PlaygroundOptions({ options, onChange }: Props) {
  const set = (changes: Partial<Options>) => onChange({ ...options, ...changes });
  return (
    <details class="options">
      <summary>Options: {options.dialect}, tools {options.tools === 'off' ? 'off' : 'on'}</summary>
      <div class="columns">
        <SelectField label="Dialect" value={options.dialect} options={dialects.map((name) => [name, name] as const)} onChange={(dialect) => set({ dialect })} hint="How the stream is written" />
        <SelectField label="Tools" value={options.tools} options={toolOptions} onChange={(tools) => set({ tools })} hint="That the gateway runs" />
        <TextField label="Temperature" type="number" min={0} step="0.1" value={options.temperature} onInput={(temperature) => set({ temperature })} />
        <TextField label="Most tokens" type="number" min={1} step="1" value={options.maxTokens} onInput={(maxTokens) => set({ maxTokens })} />
        <TextField label="Key" type="password" value={options.key} onInput={(key) => set({ key })} placeholder="rk-…" hint="To ask as a client would. It is not kept" autoComplete="off" />
      </div>
      {options.tools === 'chosen' && <ToolChoice chosen={options.chosenTools} onChange={(chosenTools) => set({ chosenTools })} />}
      <Field label="System message">
        {(attributes) => (
          <textarea {...attributes} rows={2} value={options.system} onInput={(event) => set({ system: event.currentTarget.value })} />
        )}
      </Field>
    </details>
  );
}

// One entry of the config may have several tools: they come together.
function ToolChoice({ chosen, onChange }: { chosen: string[]; onChange: (chosen: string[]) => void }) {
  const { data, error, reload } = useQuery((signal) => askTools(signal), []);
  const toggle = (name: string, on: boolean) => onChange(on ? [...chosen, name] : chosen.filter((other) => other !== name));
  const sources = new Map<string, string[]>();
  for (const { name, source } of data?.tools ?? []) sources.set(source, [...(sources.get(source) ?? []), name]);
  return (
    <fieldset>
      <legend>Tools of the gateway</legend>
      <Problem error={error} what="The tools can’t be listed" retry={reload} />
      {data && sources.size === 0 && <p class="soft">The config has none.</p>}
      <div class="checks">
        {[...sources].map(([source, names]) => (
          <Check
            key={source} checked={chosen.includes(source)} onChange={(on) => toggle(source, on)}
            label={<><strong>{source}</strong>{names.join() !== source && <small class="soft"> {names.join(', ')}</small>}</>}
          />
        ))}
      </div>
    </fieldset>
  );
}
