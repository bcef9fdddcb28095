// The keys that clients ask with.

import { useState } from 'preact/hooks';

import { createKey, keys as listKeys } from '../api/endpoints';
import type { Key } from '../api/types';
import { date, plural } from '../format';
import { Link } from '../router';
import { Badge } from '../ui/badge';
import { Dialog } from '../ui/dialog';
import { Loading, Problem } from '../ui/notice';
import { Page } from '../ui/page';
import { type Column, Table } from '../ui/table';
import { useAction, useQuery } from '../use-query';
import { BudgetBar, type Spending, useSpending } from './key-budget';
import { bodyOf, emptyForm, KeyForm } from './key-form';
import { SecretOnce } from './key-secret';

export function stateOf(key: Key): { tone: 'good' | 'warn' | 'bad' | 'plain'; text: string } {
  if (!key.enabled) return { tone: 'bad', text: 'stopped' };
  if (key.expires_at && Date.parse(key.expires_at) < Date.now()) return { tone: 'bad', text: 'expired' };
  if (key.expires_at) return { tone: 'good', text: `until ${date(key.expires_at)}` };
  return { tone: 'good', text: 'in use' };
}

const columnsWith = (spending: Spending): readonly Column<Key>[] => [
  { title: 'Name', cell: (key) => <Link to={`/keys/${key.id}`}>{key.name || key.masked}</Link> },
  { title: 'State', cell: (key) => <Badge {...stateOf(key)} /> },
  { title: 'Key', narrow: 'hide', cell: (key) => <code>{key.masked}</code> },
  { title: 'Team', narrow: 'hide', cell: (key) => key.team ?? '–' },
  { title: 'Models', narrow: 'hide', cell: (key) => (key.models.length === 0 ? 'all' : key.models.length > 2 ? plural(key.models.length, 'model') : key.models.join(', ')) },
  { title: 'Limits', narrow: 'hide', cell: (key) => Object.entries(key.limits).map(([name, limit]) => `${limit} ${name}`).join(', ') || '–' },
  { title: 'Budget', cell: (key) => <BudgetBar budgetOf={key} spending={spending} /> },
  { title: 'Made', narrow: 'hide', cell: (key) => date(key.created_at) },
];

// All pages of the list: nobody has so many keys that this would be slow.
async function allKeys(signal: AbortSignal): Promise<Key[]> {
  const found: Key[] = [];
  for (let after: string | undefined; ;) {
    const page = await listKeys(after, signal);
    found.push(...page.data);
    if (!page.has_more || !page.last_id) return found;
    after = page.last_id;
  }
}

export function KeysPage() {
  const all = useQuery(allKeys, []);
  const spending = useSpending(all.data ?? []);
  const [dialog, setDialog] = useState<'none' | 'create'>('none');
  const [made, setMade] = useState<Key>();
  return (
    <Page
      title="Keys"
      lead="Clients ask with a key. It says what they may use, how often, and how much they may spend."
      aside={<button type="button" class="main" onClick={() => setDialog('create')}>New key</button>}
    >
      <Problem error={all.error} what="The keys can’t be shown" retry={all.reload} />
      {!all.data && !all.error && <Loading />}
      {all.data && (
        <Table
          caption="Keys, newest first" columns={columnsWith(spending)} rows={all.data} keyOf={({ id }) => id}
          empty="There are no keys yet. Make one, and send it as Authorization: Bearer rk-…"
        />
      )}
      {dialog === 'create' && (
        <CreateKey
          onClose={() => setDialog('none')}
          onMade={(key) => {
            setDialog('none');
            setMade(key);
            all.reload();
          }}
        />
      )}
      {made && <SecretOnce title="Your new key" made={made} onClose={() => setMade(undefined)} />}
    </Page>
  );
}

function CreateKey({ onMade, onClose }: { onMade: (key: Key) => void; onClose: () => void }) {
  const [form, setForm] = useState(emptyForm);
  const create = useAction(async () => onMade(await createKey(bodyOf(form, 'create'))));
  return (
    <Dialog title="New key" onClose={onClose}>
      <KeyForm form={form} onChange={setForm} purpose="create" error={create.error} onSubmit={() => void create.run()}>
        <div class="actions">
          <button class="main" disabled={create.running}>Make the key</button>
          <button type="button" onClick={onClose}>Cancel</button>
        </div>
      </KeyForm>
    </Dialog>
  );
}
