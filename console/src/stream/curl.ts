// A request as a command line that sends it again.

// Safe in single quotes, whatever it holds.
export const shellQuoted = (text: string): string => `'${text.replaceAll("'", "'\\''")}'`;

interface CurlOptions {
  origin: string;
  body: unknown;
  dialect?: string | null | undefined;
  needsKey: boolean;
}

export function asCurl({ origin, body, dialect, needsKey }: CurlOptions): string {
  const lines = [
    `curl -N ${origin}/v1/chat/completions`,
    "-H 'Content-Type: application/json'",
    ...(needsKey ? ['-H "Authorization: Bearer $RUNNEL_API_KEY"'] : []),
    ...(dialect && dialect !== 'openai' ? [`-H ${shellQuoted(`X-Stream-Dialect: ${dialect}`)}`] : []),
    `-d ${shellQuoted(JSON.stringify(body))}`,
  ];
  return lines.join(' \\\n  ');
}
