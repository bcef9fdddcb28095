// One key: what may be asked with it, what was spent, and its end.

import { useState } from 'preact/hooks';

import { changeKey, key as askKey, revokeKey, rotateKey } from '../api/endpoints';
import type { Key } from '../api/types';
import { exactTime } from '../format';
import { Link, navigate } from '../router';
import { Badge } from '../ui/badge';
import { Confirm, Dialog } from '../ui/dialog';
import { SelectField } from '../ui/field';
import { Loading, Notice, Problem } from '../ui/notice';
import { Page, Section } from '../ui/page';
import { useAction, useQuery } from '../use-query';
import { BudgetBar, useSpending } from './key-budget';
import { bodyOf, formOf, KeyForm } from './key-form';
import { SecretOnce } from './key-secret';
import { stateOf } from './keys';

export function KeyPage({ id }: { id: string }) {
  const found = useQuery((signal) => askKey(id, signal), [id]);
  const [changed, setChanged] = useState<Key>();
  const key = changed ?? found.data;
  if (found.error?.status === 404)
    return (
      <Page title="Unknown key" lead={<code class="id">{id}</code>}>
        <Notice kind="warn" title="There is no key with this id.">It was revoked, or never made. <Link to="/keys">See all keys.</Link></Notice>
      </Page>
    );
  return (
    <Page title={key?.name || 'Key'} lead={<><Link to="/keys">Keys</Link> / <code class="id">{id}</code></>} aside={key && <Badge {...stateOf(key)} />}>
      <Problem error={found.error} what="This key can’t be shown" retry={found.reload} />
      {!key && !found.error && <Loading />}
      {key && <KeyDetails known={key} onChanged={setChanged} />}
    </Page>
  );
}

function KeyDetails({ known: key, onChanged }: { known: Key; onChanged: (key: Key) => void }) {
  const [form, setForm] = useState(() => formOf(key));
  const [saved, setSaved] = useState(false);
  const spending = useSpending([key]);
  const save = useAction(async () => {
    onChanged(await changeKey(key.id, bodyOf(form, 'change')));
    setSaved(true);
  });
  const change = (next: typeof form) => {
    setForm(next);
    setSaved(false);
  };
  return (
    <>
      <dl class="facts">
        <div><dt>Key</dt><dd><code>{key.masked}</code></dd></div>
        <div><dt>Kind</dt><dd>{key.kind}</dd></div>
        <div><dt>Made</dt><dd>{exactTime(key.created_at)}</dd></div>
        {key.old_key_until && <div><dt>Old secret works until</dt><dd>{exactTime(key.old_key_until)}</dd></div>}
        {key.wallet && <div><dt>Wallet</dt><dd>{key.wallet}</dd></div>}
        <div><dt>Budget</dt><dd><BudgetBar budgetOf={key} spending={spending} /></dd></div>
        <div><dt>Requests</dt><dd><Link to={`/requests?key=${key.id}`}>Those with this key</Link></dd></div>
      </dl>
      <Ending known={key} onChanged={onChanged} />
      <Section title="Settings">
        <KeyForm form={form} onChange={change} purpose="change" error={save.error} onSubmit={() => void save.run()}>
          <div class="actions">
            <button class="main" disabled={save.running}>Save</button>
            <span role="status" class="good-text">{saved && 'Saved. It counts from the next request on.'}</span>
          </div>
        </KeyForm>
      </Section>
    </>
  );
}

const graces = [['0s', 'at once'], ['1h', 'in an hour'], ['24h', 'in a day'], ['168h', 'in a week']] as const;
type Grace = (typeof graces)[number][0];

// Stop for a while, replace the secret, or end it for good.
function Ending({ known: key, onChanged }: { known: Key; onChanged: (key: Key) => void }) {
  const [dialog, setDialog] = useState<'none' | 'rotate' | 'revoke'>('none');
  const [grace, setGrace] = useState<Grace>('1h');
  const [made, setMade] = useState<Key>();
  const stop = useAction(async () => onChanged(await changeKey(key.id, { enabled: !key.enabled })));
  const rotate = useAction(async () => {
    const next = await rotateKey(key.id, grace);
    setDialog('none');
    setMade(next);
    onChanged(next);
  });
  const revoke = useAction(async () => {
    await revokeKey(key.id);
    navigate('/keys');
  });
  const close = () => setDialog('none');
  return (
    <>
      <div class="actions">
        <button type="button" disabled={stop.running} onClick={() => void stop.run()}>{key.enabled ? 'Stop' : 'Let it be used again'}</button>
        <button type="button" onClick={() => setDialog('rotate')}>New secret …</button>
        <button type="button" class="danger" onClick={() => setDialog('revoke')}>Revoke …</button>
      </div>
      <Problem error={stop.error} what="That did not work" />
      {dialog === 'rotate' && (
        <Dialog title="A new secret for this key" onClose={close}>
          <p>Id, limits and history stay. The old secret goes on working for a while, so that clients can change over.</p>
          <SelectField label="The old secret ends" value={grace} options={graces} onChange={setGrace} />
          <Problem error={rotate.error} what="There is no new secret" />
          <div class="actions">
            <button type="button" class="main" disabled={rotate.running} onClick={() => void rotate.run()}>Make a new secret</button>
            <button type="button" onClick={close}>Cancel</button>
          </div>
        </Dialog>
      )}
      {dialog === 'revoke' && (
        <Confirm title={`Revoke ${key.name || key.masked}?`} action="Revoke for good" running={revoke.running} onConfirm={() => void revoke.run()} onClose={close}>
          <p>Whoever uses it is refused from now on. This can’t be undone; its requests and costs stay in the log.</p>
          <Problem error={revoke.error} what="It was not revoked" />
        </Confirm>
      )}
      {made && <SecretOnce title="The new secret" made={made} onClose={() => setMade(undefined)} />}
    </>
  );
}
