// A server of the official SDK for 2026-07-28.
//   node modern.mjs stdio|http both|modern      http: prints its port
import { createServer } from 'node:http';
import { toNodeHandler } from '@modelcontextprotocol/node';
import { createMcpHandler, McpServer } from '@modelcontextprotocol/server';
import { serveStdio } from '@modelcontextprotocol/server/stdio';
import * as z from 'zod';

const [, , transport, eras] = process.argv;
let notify = () => {};
let grown = false;

function makeServer() {
    const server = new McpServer({ name: 'modern', version: '1' }, { capabilities: { tools: { listChanged: true } } });
    const numbers = z.object({ a: z.number(), b: z.number() });
    server.registerTool('add', { description: 'Adds two numbers', inputSchema: numbers }, async ({ a, b }) => ({
        content: [{ type: 'text', text: `${a} + ${b} = ${a + b}` }],
        structuredContent: { sum: a + b },
    }));
    server.registerTool('grow', { description: 'Brings one more tool', inputSchema: z.object({}) }, async () => {
        grown = true;
        if (transport === 'stdio') server.registerTool('late', { inputSchema: z.object({}) }, late);
        notify();
        return { content: [{ type: 'text', text: 'grown' }] };
    });
    if (grown) server.registerTool('late', { inputSchema: z.object({}) }, late);
    return server;
}

async function late() {
    return { content: [{ type: 'text', text: 'better late' }] };
}

if (transport === 'stdio') {
    serveStdio(makeServer, { legacy: eras === 'both' ? 'serve' : 'reject' });
} else {
    const handler = createMcpHandler(makeServer, { legacy: eras === 'both' ? 'stateless' : 'reject' });
    notify = () => handler.notify.toolsChanged();
    const server = createServer(toNodeHandler(handler));
    server.listen(0, '127.0.0.1', () => console.log(server.address().port));
}
