// The agents: what to install, how to tell each where Runnel is, and the tools it brings. `command`
// is what docs/coding-agents.md tells a reader to type, but with the task and without questions.
//
//   packages   of npm, with their versions
//   vendors    who answers: `o` OpenAI, `c` Anthropic, `g` Gemini; never the vendor of the agent's API
//   prepare    files to put into its home, as { path: text }
//   calls      two calls of its own tools: the first writes note.txt, the second runs `shell`

export const shell = "cat note.txt && expr 6 '*' 7 > sum.txt && cat sum.txt";
export const note = 'a river\n';
export const task = 'Write the note, then read it.';

const calling = (name, args) => ({ name, args });

const claude = {
  name: 'Claude Code',
  packages: ['@anthropic-ai/claude-code@2.1.327'],
  vendors: ['o', 'g'],
  command: () => ['claude', '-p', task, '--allowedTools', 'Write,Bash'],
  environment: ({ url, model, smallModel }) => ({
    ANTHROPIC_BASE_URL: url,
    ANTHROPIC_AUTH_TOKEN: 'not-needed',
    ANTHROPIC_MODEL: model,
    ANTHROPIC_DEFAULT_HAIKU_MODEL: smallModel,
    CLAUDE_CODE_DISABLE_NONESSENTIAL_TRAFFIC: '1',
    DISABLE_AUTOUPDATER: '1',
  }),
  calls: (folder) => [
    calling('Write', { file_path: `${folder}/note.txt`, content: note }),
    calling('Bash', { command: shell, description: 'Read the note' }),
  ],
};

const codex = {
  name: 'Codex',
  packages: ['@openai/codex@0.169.0'],
  vendors: ['c', 'g'],
  command: () => [
    'codex',
    'exec',
    '--skip-git-repo-check',
    '--dangerously-bypass-approvals-and-sandbox',
    task,
  ],
  environment: () => ({ RUNNEL_KEY: 'not-needed' }),
  prepare: ({ url, model }) => ({
    '.codex/config.toml': `model = "${model}"
model_provider = "runnel"
check_for_update_on_startup = false

[analytics]
enabled = false

[model_providers.runnel]
name = "Runnel"
base_url = "${url}/v1"
env_key = "RUNNEL_KEY"
wire_api = "responses"
`,
  }),
  // It has no other tool that writes files, for models that it does not know by name.
  calls: () => [
    calling('exec_command', { cmd: `printf '${note.trim()}\\n' > note.txt` }),
    calling('exec_command', { cmd: shell }),
  ],
};

const gemini = {
  name: 'Gemini CLI',
  packages: ['@google/gemini-cli@0.61.0'],
  vendors: ['o', 'c'],
  command: () => ['gemini', '--yolo', '-p', task],
  environment: ({ url, model }) => ({
    GOOGLE_GEMINI_BASE_URL: url,
    GEMINI_API_KEY: 'not-needed',
    GEMINI_MODEL: model,
    GEMINI_CLI_TRUST_WORKSPACE: 'true',
  }),
  prepare: () => ({
    '.gemini/settings.json': JSON.stringify({
      security: { auth: { selectedType: 'gemini-api-key' } },
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
  calls: (folder) => [
    calling('write_file', { file_path: `${folder}/note.txt`, content: note }),
    calling('run_shell_command', { command: shell }),
  ],
};

// One agent, three ways to ask: the APIs that it has providers for.
const opencode = ({ api, npm, path, vendors }) => ({
  name: `opencode, ${api}`,
  packages: ['opencode-ai@1.18.33'],
  vendors,
  command: () => ['opencode', 'run', task],
  environment: () => ({
    OPENCODE_DISABLE_AUTOUPDATE: '1',
    OPENCODE_DISABLE_MODELS_FETCH: '1',
    OPENCODE_DISABLE_LSP_DOWNLOAD: '1',
  }),
  prepare: ({ url, model, smallModel }) => ({
    '.config/opencode/opencode.json': JSON.stringify({
      model: `runnel/${model}`,
      small_model: `runnel/${smallModel}`,
      share: 'disabled',
      provider: {
        runnel: {
          npm,
          name: 'Runnel',
          options: { baseURL: `${url}${path}`, apiKey: 'not-needed' },
          models: { [model]: {}, [smallModel]: {} },
        },
      },
    }),
  }),
  calls: (folder) => [
    calling('write', { filePath: `${folder}/note.txt`, content: note }),
    calling('bash', { command: shell, description: 'Read the note' }),
  ],
});

const qwen = {
  name: 'Qwen Code',
  packages: ['@qwen-code/qwen-code@0.24.4', 'node@22.23.3'], // it wants a Node of at least 22
  vendors: ['c', 'g'],
  command: () => ['qwen', '--yolo', '--auth-type', 'openai', '-p', task],
  environment: ({ url, model }) => ({
    OPENAI_BASE_URL: `${url}/v1`,
    OPENAI_API_KEY: 'not-needed',
    OPENAI_MODEL: model,
  }),
  prepare: () => ({
    '.qwen/settings.json': JSON.stringify({
      privacy: { usageStatisticsEnabled: false },
      general: { enableAutoUpdate: false },
    }),
  }),
  calls: (folder) => [
    calling('write_file', { file_path: `${folder}/note.txt`, content: note }),
    calling('run_shell_command', { command: shell, is_background: false }),
  ],
};

export const agents = [
  claude,
  codex,
  gemini,
  opencode({
    api: 'chat completions',
    npm: '@ai-sdk/openai-compatible',
    path: '/v1',
    vendors: ['c', 'g'],
  }),
  opencode({ api: 'Messages', npm: '@ai-sdk/anthropic', path: '/v1', vendors: ['o'] }),
  opencode({ api: 'Responses', npm: '@ai-sdk/openai', path: '/v1', vendors: ['c'] }),
  opencode({ api: 'Gemini', npm: '@ai-sdk/google', path: '/v1beta', vendors: ['o'] }),
  qwen,
];
