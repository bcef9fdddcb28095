import type { ComponentChildren, InputHTMLAttributes } from 'preact';
import { useId } from 'preact/hooks';

interface FieldProps {
  label: string;
  hint?: ComponentChildren;
  class?: string;
  children: (attributes: { id: string; 'aria-describedby': string | undefined }) => ComponentChildren;
}

// A label, what it labels, and what is to be known about it.
export function Field({ label, hint, class: className = '', children }: FieldProps) {
  const id = useId();
  const hintId = `${id}-hint`;
  return (
    <div class={`field ${className}`}>
      <label for={id}>{label}</label>
      {children({ id, 'aria-describedby': hint ? hintId : undefined })}
      {hint && <small id={hintId}>{hint}</small>}
    </div>
  );
}

interface TextFieldProps {
  label: string;
  value: string;
  onInput: (value: string) => void;
  hint?: ComponentChildren;
  type?: 'text' | 'number' | 'password' | 'search' | 'date' | 'datetime-local';
  placeholder?: string;
  required?: boolean;
  min?: number | string;
  step?: string;
  list?: string;
  autoComplete?: string;
  class?: string;
}

export function TextField({ label, value, onInput, hint, class: className, type = 'text', ...rest }: TextFieldProps) {
  // The types know which attributes go with which type of input; here the caller does.
  const input = { ...rest, type } as InputHTMLAttributes<HTMLInputElement>;
  return (
    <Field label={label} hint={hint} {...(className ? { class: className } : {})}>
      {(attributes) => (
        <input
          {...attributes} {...input} value={value} spellcheck={false}
          onInput={(event) => onInput(event.currentTarget.value)}
        />
      )}
    </Field>
  );
}

interface SelectFieldProps<Value extends string> {
  label: string;
  value: Value;
  options: readonly (readonly [Value, string])[];
  onChange: (value: Value) => void;
  hint?: ComponentChildren;
}

export function SelectField<Value extends string>({ label, value, options, onChange, hint }: SelectFieldProps<Value>) {
  return (
    <Field label={label} hint={hint}>
      {(attributes) => (
        <select {...attributes} value={value} onChange={(event) => onChange(event.currentTarget.value as Value)}>
          {options.map(([option, title]) => <option key={option} value={option}>{title}</option>)}
        </select>
      )}
    </Field>
  );
}

interface CheckProps {
  label: ComponentChildren;
  checked: boolean;
  onChange: (checked: boolean) => void;
}

export const Check = ({ label, checked, onChange }: CheckProps) => (
  <label class="check">
    <input type="checkbox" checked={checked} onChange={(event) => onChange(event.currentTarget.checked)} />
    <span>{label}</span>
  </label>
);
