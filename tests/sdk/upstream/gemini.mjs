// Google's generateContent: whole responses as events, CRLF line ends, no terminator, and thought
// signatures that must come back with the calls they belong to.

import { secretDetail, sseHeaders } from './sse.mjs';

export const name = 'gemini';
export const headers = sseHeaders;

// The path is /v1beta/models/MODEL:METHOD; a base URL may or may not hold the version already.
const pathPattern = /^(?:\/v1beta)?\/models\/([^/:]+):(streamGenerateContent|generateContent)$/;

export const claims = (path) => pathPattern.test(path);

export const isAuthorized = (request, url) =>
  (request.headers['x-goog-api-key'] ?? url.searchParams.get('key')) === 'key-g';

export function read(body, url) {
  const [, model, method] = pathPattern.exec(url.pathname);
  const streams = method === 'streamGenerateContent';
  const complaint =
    streams && url.searchParams.get('alt') !== 'sse' ? 'only alt=sse is served' : undefined;
  const responses = body.contents
    .flatMap((turn) => turn.parts)
    .filter((part) => part.functionResponse);
  return {
    model,
    streams,
    toolResults: responses.map((part) => resultText(part.functionResponse.response)),
    complaint: complaint ?? complaintAbout(body),
  };
}

// A plain string travels in an object; clients do not agree on the name of its member.
function resultText(response) {
  const { output, result, content } = response ?? {};
  const text = output ?? result ?? content;
  return typeof text === 'string' ? text : JSON.stringify(response);
}

export const signatureOf = (tool) => Buffer.from(`why the model called ${tool}`).toString('base64');

// The rules whose breach the real API answers with 400.
function complaintAbout({ contents, tools }) {
  if (contents.at(-1).role === 'model')
    return 'Please ensure that multiturn requests end with a user role';
  for (const [at, { role, parts }] of contents.entries()) {
    if (role !== (at % 2 ? 'model' : 'user')) return `contents[${at}]: roles must alternate`;
    if (!parts?.length) return `contents[${at}].parts must not be empty`;

    const responses = parts
      .filter((part) => part.functionResponse)
      .map((part) => part.functionResponse);
    if (responses.some(({ response }) => typeof response !== 'object'))
      return 'response must be an object';

    const calls = parts.filter((part) => part.functionCall);
    if (calls.length === 0) continue;
    if (calls[0].thoughtSignature !== signatureOf(calls[0].functionCall.name))
      return 'Function call is missing a thought_signature in functionCall parts';
    const answered = contents[at + 1].parts.map((part) => part.functionResponse?.name);
    if (calls.some((part, n) => answered[n] !== part.functionCall.name))
      return 'the number of function response parts must equal the function call parts';
  }
  const declarations = (tools ?? []).flatMap((tool) => tool.functionDeclarations ?? []);
  const schemas = declarations.map((declaration) => declaration.parameters ?? {});
  const unknown = /"(\$schema|\$ref|\$defs|additionalProperties|strict)":/.exec(
    JSON.stringify(schemas),
  );
  return unknown ? `Invalid JSON payload received. Unknown name "${unknown[1]}"` : undefined;
}

const response = (model, candidates, usageMetadata) => ({
  ...(candidates ? { candidates } : {}),
  usageMetadata,
  modelVersion: `gemini-${model}`,
  responseId: 'UpStReAm0001',
});

const frame = (value) => `data: ${JSON.stringify(value)}\r\n\r\n`;

export function* stream(answer, { model }) {
  const early = { promptTokenCount: usageOf(answer.usage).promptTokenCount, totalTokenCount: 12 };
  const candidate = (parts) =>
    frame(response(model, [{ content: { parts, role: 'model' }, index: 0 }], early));

  const signs = signer();
  for (const step of answer.steps) {
    const part = partOf(step, signs);
    if (part) yield candidate([part]);
    if (step.noise) yield* [frame(response(model, undefined, early)), candidate([{ text: '' }])];
    if (step.fail) {
      yield frame(failure(500).body);
      return;
    }
    if (step.cut || step.wait) yield step;
  }
  const last = {
    content: { parts: [{ text: '' }], role: 'model' },
    finishReason: reasons[answer.finish],
    index: 0,
  };
  yield frame(response(model, [last], usageOf(answer.usage)));
}

export function whole(answer, { model }) {
  const signs = signer();
  const parts = answer.steps.map((step) => partOf(step, signs)).filter(Boolean);
  const candidate = {
    content: { parts, role: 'model' },
    finishReason: reasons[answer.finish],
    index: 0,
  };
  return response(model, [candidate], usageOf(answer.usage));
}

// Only the first call of a response is signed.
function signer() {
  let signed = false;
  return (tool) => {
    const mark = signed ? {} : { thoughtSignature: signatureOf(tool) };
    signed = true;
    return mark;
  };
}

function partOf(step, signs) {
  if (step.text) return { text: step.text };
  if (step.reasoning) return { text: step.reasoning, thought: true };
  if (!step.call) return undefined;
  const { name: tool, args } = step.call;
  const functionCall = { name: tool, ...(Object.keys(args).length ? { args } : {}) };
  return { functionCall, ...signs(tool) };
}

const reasons = {
  stop: 'STOP',
  length: 'MAX_TOKENS',
  tool_calls: 'STOP',
  content_filter: 'SAFETY',
};

// Google counts cached tokens inside the prompt, and thinking outside the candidates.
function usageOf({ fresh, cacheRead, output, reasoning }) {
  const prompt = fresh + (cacheRead ?? 0);
  return {
    promptTokenCount: prompt,
    candidatesTokenCount: output - (reasoning ?? 0),
    totalTokenCount: prompt + output,
    ...(cacheRead === undefined ? {} : { cachedContentTokenCount: cacheRead }),
    promptTokensDetails: [{ modality: 'TEXT', tokenCount: prompt }],
    ...(reasoning === undefined ? {} : { thoughtsTokenCount: reasoning }),
  };
}

const errors = {
  400: ['INVALID_ARGUMENT', 'Request contains an invalid argument.'],
  401: ['UNAUTHENTICATED', 'Request had invalid authentication credentials.'],
  404: ['NOT_FOUND', 'models/x is not found for API version v1beta.'],
  429: ['RESOURCE_EXHAUSTED', 'You exceeded your current quota. Please retry in 1s.'],
  500: ['INTERNAL', `An internal error has occurred: ${secretDetail}`],
};

export function failure(status, complaint) {
  const [word, message] = errors[status];
  const details = [{ '@type': 'type.googleapis.com/google.rpc.RetryInfo', retryDelay: '1s' }];
  const error = { code: status, message: complaint ?? message, status: word };
  return {
    status,
    headers: {},
    body: { error: { ...error, ...(status === 429 ? { details } : {}) } },
  };
}
