# SPDX-FileCopyrightText: the upwash authors
# SPDX-License-Identifier: BSD-3-Clause
"""Types lines at a shell's prompt, and says which words the command upwash got, each in <>: what completion made of them.

  typed.py SHELL COMPLETION    lines from standard input; "\\t" is the key Tab
"""
import os
import pty
import re
import select
import sys
import tempfile
import time

SETUP = {
    "bash": ("source {file}\nupwash() {{ printf 'ARG''S'; printf '<%s>' \"$@\"; echo EN''D; }}\n"
             "bind 'set bell-style none'\nPS1='READY> '\n"),
    "zsh": ("autoload -Uz compinit\ncompinit -u -D\nsetopt no_beep no_list_beep\n_upwash_loaded() {{ source {file} }}\n"
            "compdef _upwash_loaded upwash\n"
            "upwash() {{ printf 'ARG''S'; printf '<%s>' \"$@\"; echo EN''D }}\nunsetopt prompt_cr prompt_sp\nPS1='READY> '\n"),
    "fish": ("source {file}\nfunction upwash\nprintf 'ARG''S'\nprintf '<%s>' $argv\necho EN''D\nend\n"
             "function fish_prompt\necho -n 'READY> '\nend\nset fish_greeting\nset -g fish_autosuggestion_enabled 0\n"),
}
START = {"bash": ["bash", "--norc", "--noprofile", "-i"], "zsh": ["zsh", "-f", "-i"], "fish": ["fish", "--no-config", "-i"]}


class terminal:
    def __init__(self, command, environment):
        self.seen = ""
        self.child, self.file = pty.fork()
        if self.child == 0:
            os.execvpe(command[0], command, environment)

    def write(self, text):
        os.write(self.file, text.encode())

    def until(self, pattern, seconds=60):
        """The first match in what is still to be read."""
        end = time.monotonic() + seconds
        while True:
            found = re.search(pattern, self.seen, re.S)
            if found:
                self.seen = self.seen[found.end():]
                return found
            if time.monotonic() > end or not select.select([self.file], [], [], end - time.monotonic())[0]:
                sys.exit(f"typed: no {pattern!r} in {self.seen!r}")
            try:
                self.seen += os.read(self.file, 65536).decode(errors="replace")
            except OSError:
                sys.exit(f"typed: the shell has ended: {self.seen!r}")


def main():
    shell, completion = sys.argv[1:]
    with tempfile.TemporaryDirectory() as home:
        setup = os.path.join(home, "setup")
        with open(setup, "w", encoding="utf-8") as out:
            out.write(SETUP[shell].format(file=completion))
        at = terminal(START[shell], {**os.environ, "HOME": home, "TERM": "dumb", "INPUTRC": "/dev/null", "XDG_CONFIG_HOME": home,
                                     "XDG_DATA_HOME": home, "COLUMNS": "1000"})
        at.write(f"stty cols 1000; source {setup}\n")
        at.until("READY> ")
        for line in sys.stdin.read().splitlines():
            at.write(line.replace("\\t", "\t") + "\n")
            print(at.until("ARGS(.*?)END")[1], flush=True)
            at.until("READY> ")
        at.write("exit\n")
        os.waitpid(at.child, 0)


if __name__ == "__main__":
    main()
