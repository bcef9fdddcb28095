interface MeterProps {
  label: string;
  value: number;
  max: number;
  text: string;
}

// How much of something is used up.
export function Meter({ label, value, max, text }: MeterProps) {
  const share = max > 0 ? Math.min(1, value / max) : 1;
  const tone = share >= 1 ? 'bad' : share >= 0.8 ? 'warn' : 'good';
  return (
    <div class="meter">
      <div
        class="meter-track" role="meter" aria-label={label} aria-valuemin={0} aria-valuemax={max}
        aria-valuenow={Math.min(value, max)} aria-valuetext={text}
      >
        <div class={`meter-fill ${tone}`} style={{ width: `${share * 100}%` }} />
      </div>
      <small>{text}</small>
    </div>
  );
}
