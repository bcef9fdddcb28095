import { useId } from 'preact/hooks';

interface ChoiceProps<Value extends string> {
  label: string;
  options: readonly (readonly [Value, string])[];
  value: Value;
  onChange: (value: Value) => void;
}

// A few options, one of which is chosen: radio buttons that look like one control.
export function Choice<Value extends string>({ label, options, value, onChange }: ChoiceProps<Value>) {
  const name = useId();
  return (
    <fieldset class="choice">
      <legend class="off-screen">{label}</legend>
      {options.map(([option, title]) => (
        <label key={option}>
          <input type="radio" name={name} checked={option === value} onChange={() => onChange(option)} />
          <span>{title}</span>
        </label>
      ))}
    </fieldset>
  );
}
