"""The kernel that the tests boot: Debian's own, with gpio-sim built from Debian's source of it, and
our buses without wires. All from packages of the distribution that runs here, none installed."""

from __future__ import annotations

import hashlib
import lzma
import platform
import re
import shutil
import subprocess
from dataclasses import dataclass
from pathlib import Path

from tests.machines.debian import ENVIRONMENT, MachineError, cache, made_once, need, run, step

HERE = Path(__file__).parent
MODULES = HERE / "modules"

PROGRAMS = {
    "qemu-system-x86_64": "qemu-system-x86",
    "/bin/busybox": "busybox-static",
    "cpio": "cpio",
    "depmod": "kmod",
    "gcc": "gcc",
    "make": "make",
    "xz": "xz-utils",
    "/usr/lib/x86_64-linux-gnu/libelf.so.1": "libelf1",
}

WANTED = (
    *("virtio_pci", "9pnet_virtio", "9p", "overlay", "configfs"),
    *("i2c-dev", "dummy_hcd", "libcomposite", "usb_f_acm", "cdc-acm"),
)
"""Debian's modules that the machine loads; what they need comes along."""
OURS = ("gpio-sim", "table_spi", "table_i2c")

_SOURCES = ("drivers/gpio/gpio-sim.c", "drivers/gpio/gpiolib.h", "kernel/irq/irq_sim.c")


@dataclass(frozen=True, slots=True)
class Kernel:
    """A kernel of the package archive. release: as `uname -r` says it, such as 6.1.0-57-amd64.
    version: of its packages, such as 6.1.192-3."""

    release: str
    version: str

    @property
    def series(self) -> str:
        """Such as 6.1."""
        return ".".join(self.release.split(".")[:2])


def newest_kernel() -> Kernel:
    """Debian's newest for this release and machine. Raises MachineError where there is none."""
    if platform.machine() != "x86_64":
        raise MachineError(
            f"the kernel machine is an amd64 one and this is {platform.machine()}. "
            "Run it on an amd64 Debian."
        )
    shown = run("apt-cache", "show", "--no-all-versions", "linux-image-amd64")
    named = re.search(r"^Depends:.*\blinux-image-(\d\S*-amd64)\b", shown, re.MULTILINE)
    version = re.search(r"^Version: (\S+)", shown, re.MULTILINE)
    if named is None or version is None:
        raise MachineError(
            "the package lists name no kernel linux-image-amd64. Run apt-get update; "
            "on another distribution than Debian, run this in a Debian container."
        )
    return Kernel(named[1], version[1])


def image(kernel: Kernel) -> Path:
    """A folder with `vmlinuz` and the modules under `lib/modules`, from the cache if it is there
    already."""
    folder = cache("kernel") / f"{kernel.release}_{kernel.version}"
    debian = made_once(folder / "debian", lambda to: _unpack(kernel, to))
    return made_once(folder / f"machine-{_digest()}", lambda to: _put_together(kernel, debian, to))


def _digest() -> str:
    """Changes with whatever of ours goes into the image."""
    digest = hashlib.sha256(repr((WANTED, OURS)).encode())
    for source in sorted([*MODULES.iterdir(), HERE / "image.py"]):
        digest.update(source.read_bytes())
    return digest.hexdigest()[:12]


def _unpack(kernel: Kernel, to: Path) -> None:
    """Kernel, headers, and three files of the source. About 230 MB are fetched for it."""
    headers = f"linux-headers-{kernel.release}"
    kbuild = f"linux-kbuild-{kernel.series}"
    binary = (f"linux-image-{kernel.release}", headers, kbuild)
    common = f"linux-headers-{re.sub(r'[^-]+$', 'common', kernel.release)}"
    source = f"linux-source-{kernel.series}"
    packages = to / "packages"
    packages.mkdir()
    with step(f"fetching kernel {kernel.release} ({kernel.version}), its headers and source"):
        wanted = [f"{name}={kernel.version}" for name in (*binary, common, source)]
        run("apt-get", "download", "-o", "APT::Sandbox::User=root", *wanted, into=packages)
    with step("unpacking them"):
        for name in (*binary, common):
            run("dpkg-deb", "-x", _package(packages, name), to / "root")
        run("dpkg-deb", "-x", _package(packages, source), to / "source")
        tarball = to / f"source/usr/src/{source}.tar.xz"
        members = [f"{source}/{name}" for name in _SOURCES]
        run("tar", "-xJf", tarball, "-C", to, *members)
        (to / source).rename(to / "linux")
    shutil.rmtree(packages)
    shutil.rmtree(to / "source")


def _package(folder: Path, name: str) -> Path:
    return next(folder.glob(f"{name}_*.deb"))


def _put_together(kernel: Kernel, debian: Path, to: Path) -> None:
    with step(f"building {', '.join(OURS)}"):
        built = to / "built"
        _build(kernel, debian, built)
    with step("gathering modules"):
        root = debian / "root"
        run("depmod", "-b", root, kernel.release)
        folder = to / "lib/modules" / kernel.release
        folder.mkdir(parents=True)
        for name in WANTED:
            for module in _with_needs(root, kernel.release, name):
                _copy_module(module, folder)
        for name in OURS:
            shutil.copy(built / f"{name}.ko", folder)
        for listed in ("modules.builtin", "modules.builtin.modinfo", "modules.order"):
            shutil.copy(root / "lib/modules" / kernel.release / listed, folder)
        run("depmod", "-b", to, kernel.release)
        shutil.copy(root / f"boot/vmlinuz-{kernel.release}", to / "vmlinuz")
        shutil.rmtree(built)


def _with_needs(root: Path, release: str, name: str) -> list[Path]:
    """The files of a module and of all that it needs; none for what is built in."""
    lines = run("modprobe", "-d", root, "-S", release, "--show-depends", name).splitlines()
    return [Path(words[1]) for line in lines if (words := line.split())[0] == "insmod"]


def _copy_module(module: Path, folder: Path) -> None:
    if module.suffix == ".xz":
        (folder / module.stem).write_bytes(lzma.decompress(module.read_bytes()))
    else:
        shutil.copy(module, folder)


def _build(kernel: Kernel, debian: Path, built: Path) -> None:
    shutil.copytree(MODULES, built)
    linux = debian / "linux"
    shutil.copy(linux / "drivers/gpio/gpio-sim.c", built / "gpio_chip.c")
    shutil.copy(linux / "drivers/gpio/gpiolib.h", built)
    # The kernel keeps irq_to_desc to itself; this call does the same from outside.
    simulated = (linux / "kernel/irq/irq_sim.c").read_text()
    inside, outside = "handle_simple_irq(irq_to_desc(irqnum))", "generic_handle_irq(irqnum)"
    if inside not in simulated:
        raise MachineError(
            f"irq_sim.c of {kernel.version} no longer calls {inside}: see how it is built "
            f"outside the kernel now, and change {Path(__file__).name}."
        )
    (built / "irq_sim.c").write_text(simulated.replace(inside, outside))
    # The headers expect to lie in /usr/src; they are used where the cache lies now.
    sources = debian / "root/usr/src"
    tree = sources / f"linux-headers-{kernel.release}"
    makefile = (tree / "Makefile").read_text()
    moved = re.sub(r"^include .*(?=/linux-headers-)", f"include {sources}", makefile, flags=re.M)
    (tree / "Makefile").write_text(moved)
    run("make", "-C", tree, f"M={built}", "CC=gcc", "modules")


def initramfs(image: Path, to: Path) -> None:
    """Write the first file system: busybox, `init` and the modules."""
    with step("packing the initramfs"):
        root = to.parent / "initramfs-files"
        shutil.copytree(image / "lib", root / "lib")
        for name in ("bin", "proc", "sys", "dev", "host", "changes", "new"):
            (root / name).mkdir()
        shutil.copy("/bin/busybox", root / "bin")
        shutil.copy(HERE / "init", root / "init")
        (root / "init").chmod(0o755)
        (root / "modules").write_text("".join(f"{name}\n" for name in (*WANTED, *OURS)))
        names = "\n".join(str(p.relative_to(root)) for p in sorted(root.rglob("*")))
        with to.open("wb") as packed:
            subprocess.run(
                ["cpio", "--quiet", "-o", "-H", "newc"],
                cwd=root,
                env=ENVIRONMENT,
                input=names.encode(),
                stdout=packed,
                check=True,
            )
        shutil.rmtree(root)


def prepare() -> Path:
    """The image of the newest kernel, with every program that is needed for it."""
    need(PROGRAMS)
    return image(newest_kernel())
