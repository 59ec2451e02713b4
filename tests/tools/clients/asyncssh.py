#!/usr/bin/python3
"""usage: asyncssh DIR PORT version|run COMMAND|pty COMMAND|put FROM TO|get FROM TO

AsyncSSH as a client of tests/bench/clients.sh, which see.
"""
import asyncio
import os
import sys
import tty

# Not this file.
sys.path.pop(0)
import asyncssh  # noqa: E402


async def type_on_pty(connection, command):
    process = await connection.create_process(
        command, term_type="xterm", term_size=(80, 24), encoding=None)
    tty.setraw(0)
    asyncio.get_running_loop().add_reader(
        0, lambda: process.stdin.write(os.read(0, 1024)))
    while True:
        data = await process.stdout.read(65536)
        if not data:
            return
        os.write(1, data)


async def main(directory, port, verb, *args):
    if verb == "version":
        print("AsyncSSH", asyncssh.__version__)
        return 0
    async with asyncssh.connect(
            "127.0.0.1", int(port), username="player", known_hosts=None,
            client_keys=[directory + "/id"], agent_path=None,
            config=None) as connection:
        if verb == "run":
            result = await connection.run(args[0])
            sys.stdout.write(result.stdout)
            return result.exit_status
        if verb == "pty":
            await type_on_pty(connection, args[0])
            return 0
        async with connection.start_sftp_client() as sftp:
            if verb == "put":
                await sftp.put(*args)
            elif verb == "get":
                await sftp.get(*args)
    return 0


sys.exit(asyncio.run(main(*sys.argv[1:])))
