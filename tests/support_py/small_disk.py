"""Disks that fail: one in memory with as much room as a test leaves it, and one that can be frozen."""

import os
import shutil
import subprocess
import tempfile

MIB = 1 << 20


def _done(*command):
    return subprocess.run(command, capture_output=True, check=False).returncode == 0


class SmallDisk:
    """A file system in memory, with as much room as a test leaves it."""

    def __init__(self, size):
        self.folder = tempfile.mkdtemp(prefix="runnel-e2e-disk-")
        self.mounted = _done("mount", "-t", "tmpfs", "-o", f"size={size}", "tmpfs", self.folder)
        self._filler = os.path.join(self.folder, "filler")

    def fill(self):
        with open(self._filler, "ab", buffering=0) as file:
            for size in (MIB, 4096, 1):
                try:
                    while file.write(b"x" * size):
                        pass
                except OSError:
                    pass

    def make_room(self):
        os.remove(self._filler)

    def write_protect(self):
        assert _done("mount", "-o", "remount,ro", self.folder)

    def remove(self):
        if self.mounted:
            _done("umount", "--lazy", self.folder)
        os.rmdir(self.folder)


class FreezableDisk:
    """A file system in a file. While it is frozen, whoever writes to it waits."""

    def __init__(self, size=64 * MIB):
        self._around = tempfile.mkdtemp(prefix="runnel-e2e-freezes-")
        image = os.path.join(self._around, "image")
        self.folder = os.path.join(self._around, "disk")
        os.mkdir(self.folder)
        with open(image, "wb") as file:
            file.truncate(size)
        self._frozen = False
        self.mounted = bool(shutil.which("fsfreeze")) and _done("mkfs.ext4", "-q", "-F", image) and \
            _done("mount", "-o", "loop", image, self.folder)

    def freeze(self):
        assert _done("fsfreeze", "--freeze", self.folder)
        self._frozen = True

    def thaw(self):
        if self._frozen:
            _done("fsfreeze", "--unfreeze", self.folder)
        self._frozen = False

    def remove(self):
        self.thaw()
        if self.mounted:
            _done("umount", "--lazy", self.folder)
        shutil.rmtree(self._around, ignore_errors=True)
