#!/usr/bin/python3
"""usage: paramiko DIR PORT version|run COMMAND|pty COMMAND|put FROM TO|get FROM TO

Paramiko as a client of tests/bench/clients.sh, which see.
"""
import os
import select
import sys
import tty

# Not this file.
sys.path.pop(0)
import paramiko  # noqa: E402


def connect(directory, port):
    client = paramiko.SSHClient()
    client.set_missing_host_key_policy(paramiko.AutoAddPolicy())
    client.connect("127.0.0.1", int(port), "player",
                   key_filename=directory + "/id",
                   allow_agent=False, look_for_keys=False)
    return client


def type_on_pty(client, command):
    channel = client.get_transport().open_session()
    channel.get_pty()
    channel.exec_command(command)
    tty.setraw(0)
    while True:
        ready, _, _ = select.select([0, channel], [], [])
        if channel in ready:
            data = channel.recv(65536)
            if not data:
                return
            os.write(1, data)
        if 0 in ready:
            channel.sendall(os.read(0, 1024))


def main(directory, port, verb, *args):
    if verb == "version":
        print("Paramiko", paramiko.__version__)
        return 0
    client = connect(directory, port)
    if verb == "run":
        _, out, _ = client.exec_command(args[0])
        sys.stdout.write(out.read().decode())
        return out.channel.recv_exit_status()
    if verb == "pty":
        type_on_pty(client, args[0])
    elif verb == "put":
        client.open_sftp().put(*args)
    elif verb == "get":
        client.open_sftp().get(*args)
    client.close()
    return 0


sys.exit(main(*sys.argv[1:]))
