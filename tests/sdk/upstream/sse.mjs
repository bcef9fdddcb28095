// Small helpers for the three families that stream server-sent events.

export const dataFrame = (value) => `data: ${JSON.stringify(value)}\n\n`;

export const sseHeaders = {
  'content-type': 'text/event-stream; charset=utf-8',
  'cache-control': 'no-cache',
};

// Text that would be a leak if a client ever saw it; the error bodies carry it.
export const secretDetail = 'key sk-live-QUITESECRET on db-7.internal.example:8443';

// Splits text in two, as a model that streams arguments does.
export function halves(text) {
  const middle = Math.ceil(text.length / 2);
  return [text.slice(0, middle), text.slice(middle)];
}
