// One function for each thing that the console asks the gateway.

import { withQuery } from '../router';
import { ask, askText } from './http';
import type {
  AuditEntry, ConfigProblem, ConfigText, Key, List, LogContent, LogRecord, Model, ModelPrice, Overview, Provider, Range, Reloaded, Running, Session, Tool,
  UsageAnswer,
} from './types';

type Signal = AbortSignal | undefined;
const part = encodeURIComponent;

export const session = (signal?: Signal) => ask<Session>('/admin/v1/session', { signal });
export const signIn = (token: string) => ask<Session>('/admin/v1/session', { method: 'POST', body: { token } });
export const enter = (ticket: string) => ask<Session>('/admin/v1/session', { method: 'POST', body: { ticket } });
export const signOut = () => ask<Session>('/admin/v1/session', { method: 'DELETE' });

export const overview = (range: Range, signal?: Signal) =>
  ask<Overview>(withQuery('/admin/v1/overview', { range }), { signal });

export const readiness = (signal?: Signal) => ask<{ requests: Running }>('/readyz?verbose', { signal });

export interface LogQuery {
  after?: string | undefined;
  limit?: string | undefined;
  model?: string | undefined;
  key?: string | undefined;
  provider?: string | undefined;
  status?: string | undefined;
  error?: string | undefined;
  from?: string | undefined;
  to?: string | undefined;
  id?: string | undefined;
  count?: 'true' | undefined;
}

export const logs = (query: LogQuery, signal?: Signal) =>
  ask<List<LogRecord>>(withQuery('/admin/v1/logs', { ...query }), { signal });
export const log = (id: string, signal?: Signal) => ask<LogRecord>(`/admin/v1/logs/${part(id)}`, { signal });
export const logContent = (id: string, signal?: Signal) => ask<LogContent>(`/admin/v1/logs/${part(id)}/content`, { signal });
export const logFrames = (id: string, dialect: string, signal?: Signal) =>
  askText(withQuery(`/admin/v1/logs/${part(id)}/stream`, { dialect }), { signal });

export interface UsageQuery {
  from?: string;
  to?: string;
  group_by?: 'key' | 'team' | 'model' | 'provider' | 'day' | 'hour';
}
export const usage = (query: UsageQuery, signal?: Signal) =>
  ask<UsageAnswer>(withQuery('/admin/v1/usage', { ...query }), { signal });

export const keys = (after?: string, signal?: Signal) =>
  ask<List<Key>>(withQuery('/admin/v1/keys', { after, limit: '100' }), { signal });
export const key = (id: string, signal?: Signal) => ask<Key>(`/admin/v1/keys/${part(id)}`, { signal });
export const createKey = (fields: object) => ask<Key>('/admin/v1/keys', { method: 'POST', body: fields });
export const changeKey = (id: string, fields: object) =>
  ask<Key>(`/admin/v1/keys/${part(id)}`, { method: 'PATCH', body: fields });
export const rotateKey = (id: string, grace: string) =>
  ask<Key>(`/admin/v1/keys/${part(id)}/rotate`, { method: 'POST', body: { grace } });
export const revokeKey = (id: string) => ask<unknown>(`/admin/v1/keys/${part(id)}`, { method: 'DELETE' });

export const providers = (signal?: Signal) => ask<List<Provider>>('/admin/v1/providers', { signal });
export const models = (signal?: Signal) => ask<List<Model>>('/admin/v1/models', { signal });
export const prices = (signal?: Signal) => ask<List<ModelPrice>>('/admin/v1/prices', { signal });
export const tools = (signal?: Signal) => ask<{ tools: Tool[] }>('/admin/v1/tools', { signal });

export const audit = (query: { after?: string | undefined; subject?: string | undefined; action?: string | undefined }, signal?: Signal) =>
  ask<List<AuditEntry>>(withQuery('/admin/v1/audit', { ...query, limit: '50' }), { signal });

export const config = (signal?: Signal) => ask<ConfigText>('/admin/v1/config', { signal });
export const checkConfig = (text: string) =>
  ask<{ problems: ConfigProblem[] }>('/admin/v1/config/check', { method: 'POST', body: { text } });
export const reloadConfig = () => ask<Reloaded>('/admin/v1/config/reload', { method: 'POST' });
