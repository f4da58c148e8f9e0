"""The official Python client of MCP: lists and calls every tool, over stdio and over HTTP."""

import asyncio
import json
import os
import sys

from mcp import ClientSession, StdioServerParameters
from mcp.client.stdio import stdio_client
from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client


async def journey(session, calls):
    await session.initialize()
    tools = (await session.list_tools()).tools
    answers = {}
    for tool in tools:
        result = await session.call_tool(tool.name, calls[tool.name])
        answers[tool.name] = {"isError": bool(result.is_error), "text": result.content[0].text[:300]}
    prompts = (await session.list_prompts()).prompts
    resources = (await session.list_resources()).resources
    return {"tools": answers, "prompts": len(prompts), "resources": len(resources)}


async def main():
    task = json.load(sys.stdin)
    if "command" in task:
        command, *args = task["command"]
        parameters = StdioServerParameters(command=command, args=args, env={**os.environ, **task["env"]})
        async with stdio_client(parameters) as (read, write):
            async with ClientSession(read, write) as session:
                return await journey(session, task["calls"])
    async with create_mcp_http_client(headers=task["headers"]) as http:
        async with streamable_http_client(task["url"], http_client=http) as streams:
            async with ClientSession(streams[0], streams[1]) as session:
                return await journey(session, task["calls"])


print(json.dumps(asyncio.run(main())))
