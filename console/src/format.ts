// Numbers, times and money as people read them.

const whole = new Intl.NumberFormat('en', { maximumFractionDigits: 0 });
const short = new Intl.NumberFormat('en', { notation: 'compact', maximumFractionDigits: 1 });

export const count = (value: number): string => whole.format(value);

// 12,345 in full; from 100,000 on as 1.2M.
export const shortCount = (value: number): string =>
  Math.abs(value) < 100_000 ? whole.format(value) : short.format(value);

// Small amounts keep the digits that tell them apart: $0.00042, $1.24.
export function usd(amount: number | null | undefined): string {
  if (amount === null || amount === undefined) return '–';
  if (amount === 0) return '$0';
  const size = Math.abs(amount);
  const digits = size >= 1 ? 2 : Math.min(9, 2 - Math.floor(Math.log10(size)));
  return `${amount < 0 ? '-' : ''}$${size.toLocaleString('en', { minimumFractionDigits: Math.min(digits, 2), maximumFractionDigits: digits })}`;
}

export function duration(ms: number | null | undefined): string {
  if (ms === null || ms === undefined) return '–';
  if (ms === 0) return '0 ms';
  if (ms < 1) return `${ms.toFixed(2)} ms`;
  if (ms < 1000) return `${ms < 10 ? ms.toFixed(1) : Math.round(ms)} ms`;
  if (ms < 60_000) return `${(ms / 1000).toFixed(ms < 10_000 ? 2 : 1)} s`;
  const seconds = Math.round(ms / 1000);
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ${seconds % 60} s`;
  return `${Math.floor(seconds / 3600)} h ${Math.floor((seconds % 3600) / 60)} min`;
}

// How long something took: nothing takes no time.
export const took = (ms: number): string => (ms === 0 ? '< 1 ms' : duration(ms));

export const percent = (share: number): string =>
  share === 0 ? '0 %' : share < 0.001 ? '< 0.1 %' : `${(share * 100).toFixed(share < 0.1 ? 1 : 0)} %`;

export function bytes(size: number): string {
  if (size < 1024) return `${size} B`;
  const units = ['KiB', 'MiB', 'GiB'];
  let value = size / 1024;
  let unit = 0;
  while (value >= 1024 && unit < units.length - 1) {
    value /= 1024;
    unit += 1;
  }
  return `${value.toFixed(value < 10 ? 1 : 0)} ${units[unit]}`;
}

const clock = new Intl.DateTimeFormat('en-GB', { hour: '2-digit', minute: '2-digit', second: '2-digit' });
const day = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short' });
const dayAndYear = new Intl.DateTimeFormat('en-GB', { day: 'numeric', month: 'short', year: 'numeric' });
const full = new Intl.DateTimeFormat('en-GB', { dateStyle: 'medium', timeStyle: 'long' });

type When = string | number | Date;

// The time of day, with the date where it is another day.
export function moment(time: When, now = new Date()): string {
  const at = new Date(time);
  if (at.toDateString() === now.toDateString()) return clock.format(at);
  return `${(at.getFullYear() === now.getFullYear() ? day : dayAndYear).format(at)}, ${clock.format(at)}`;
}

export const shortDate = (time: When): string => day.format(new Date(time));
export const date = (time: When): string => dayAndYear.format(new Date(time));
export const exactTime = (time: When): string => full.format(new Date(time));

export function ago(time: When, now = Date.now()): string {
  const seconds = Math.round((now - new Date(time).getTime()) / 1000);
  if (seconds < 5) return 'just now';
  if (seconds < 60) return `${seconds} s ago`;
  if (seconds < 3600) return `${Math.floor(seconds / 60)} min ago`;
  if (seconds < 86_400) return `${Math.floor(seconds / 3600)} h ago`;
  return `${Math.floor(seconds / 86_400)} d ago`;
}

export const plural = (amount: number, one: string, many = `${one}s`): string =>
  `${count(amount)} ${amount === 1 ? one : many}`;

// upstream_rate_limited → upstream rate limited
export const words = (code: string): string => code.replaceAll('_', ' ');

// "status=500 type=… code=… message=…", as the gateway notes what a provider said → "HTTP 500: …". Anything else as it is.
export function providerSaid(detail: string): string {
  const parts = /^status=(\d+) type=(.*?) code=(.*?) message=([^]*)$/.exec(detail);
  if (!parts) return detail;
  const [, status = '0', type = '', code = '', message = ''] = parts;
  const said = message || code || type;
  if (status === '0') return said;
  return said ? `HTTP ${status}: ${said}` : `HTTP ${status}`;
}

// JSON laid out where it is some; the text as it is where it is none.
export function pretty(text: string): string {
  try {
    return JSON.stringify(JSON.parse(text), null, 2);
  } catch {
    return text;
  }
}
