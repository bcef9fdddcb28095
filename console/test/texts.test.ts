import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { test } from 'node:test';

import { duration, providerSaid, usd } from '../src/format';
import { beginOf } from '../src/pages/budget-period';
import { asCsv } from '../src/pages/usage-csv';
import { asCurl, shellQuoted } from '../src/stream/curl';

test('whatever a request says, a shell hands it on as it is', () => {
  for (const text of ["it's", '$(rm -rf /)', '`x` "y" \\ \n z', "''", 'ä → 😀'])
    assert.equal(execFileSync('sh', ['-c', `printf %s ${shellQuoted(text)}`], { encoding: 'utf8' }), text);
});

test('a curl command names what is not usual, and no key', () => {
  const body = { model: 'm' };
  assert.equal(asCurl({ origin: 'http://h', body, needsKey: false }), `curl -N http://h/v1/chat/completions \\\n  -H 'Content-Type: application/json' \\\n  -d '{"model":"m"}'`);
  assert.match(asCurl({ origin: 'http://h', body, dialect: 'agent', needsKey: true }), /Bearer \$RUNNEL_API_KEY[^]*X-Stream-Dialect: agent/);
});

test('a spreadsheet sees text where a name looks like a formula', () => {
  const row = { group: '=1+1', requests: 1, errors: 0, input_tokens: 2, cached_tokens: 0, output_tokens: 3, reasoning_tokens: 0, cost_usd: 0.5, unpriced_requests: 0 };
  const [head, line] = asCsv('key', [row], () => 'a "b", c').split('\r\n');
  assert.equal(head, 'key,name,requests,errors,input_tokens,cached_tokens,output_tokens,reasoning_tokens,cost_usd,unpriced_requests');
  assert.equal(line, `'=1+1,"a ""b"", c",1,0,2,0,3,0,0.5,0`);
});

test('budgets begin at midnight UTC of a day, a Monday, a first', () => {
  const sunday = new Date('2026-11-15T23:30:00-05:00'); // Monday in UTC
  assert.equal(beginOf('day', sunday).toISOString(), '2026-11-16T00:00:00.000Z');
  assert.equal(beginOf('week', sunday).toISOString(), '2026-11-16T00:00:00.000Z');
  assert.equal(beginOf('week', new Date('2026-11-15T12:00:00Z')).toISOString(), '2026-11-09T00:00:00.000Z');
  assert.equal(beginOf('month', sunday).toISOString(), '2026-11-01T00:00:00.000Z');
  assert.equal(beginOf('total', sunday).getTime(), 0);
});

test('small amounts keep the digits that matter', () => {
  assert.deepEqual([0, 1234.5, 1.239, 0.5, 0.0135, 0.00042, null].map(usd), ['$0', '$1,234.50', '$1.24', '$0.50', '$0.0135', '$0.00042', '–']);
  assert.deepEqual([0.5, 8.25, 412, 1500, 12_000, 75_000, 7_200_000, null].map((ms) => duration(ms)), ['0.50 ms', '8.3 ms', '412 ms', '1.50 s', '12.0 s', '1 min 15 s', '2 h 0 min', '–']);
});

test('what a provider said reads as a sentence', () => {
  assert.equal(providerSaid('status=500 type= code= message=the disk is full'), 'HTTP 500: the disk is full');
  assert.equal(providerSaid('status=429 type=rate_limit code=slow message='), 'HTTP 429: slow');
  assert.equal(providerSaid('status=503 type= code= message='), 'HTTP 503');
  assert.equal(providerSaid('status=0 type=server_error code=x message=broken\nin two'), 'broken\nin two');
  assert.equal(providerSaid('no connection: refused'), 'no connection: refused');
});
