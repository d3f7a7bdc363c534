"""Makes a fuzzer's first inputs of vectors.txt: the bytes of each line, for fuzz_app as an act."""

import sys
from pathlib import Path


def main() -> None:
    vectors, folder = Path(sys.argv[1]), Path(sys.argv[2])
    for line in vectors.read_text().splitlines():
        if line and not line.startswith("#"):
            name, wire, _ = line.split(" ", 2)
            data = bytes.fromhex(wire)
            if folder.name == "app":
                hello = bytes([4 * 5 + 1, 0x21]) + b"BT\1\1"
                data = hello + bytes([4 * min(len(data), 63)]) + data
            (folder / name).write_bytes(data)


if __name__ == "__main__":
    main()
