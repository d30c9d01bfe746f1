#!/usr/bin/env python3
"""The mean of one column of f64 in 1 GiB of CSV and of Parquet, by treefold and by polars: whole processes in turn, their medians.

    python3 -m venv target/polars && target/polars/bin/pip install numpy polars
    cargo build --release -p treefold-cli
    target/polars/bin/python benches/peers/tables.py target/release/treefold target/tables

The second folder takes the files, 3.2 GB, which are made once. Both read from the page cache, and each answer is compared.
"""

import math
import statistics
import subprocess
import sys
import time
from pathlib import Path

ROUNDS = 7
BYTES = 1 << 30
BY_POLARS = """
import sys, polars
scan = polars.scan_csv if sys.argv[1].endswith(".csv") else polars.scan_parquet
print(scan(sys.argv[1]).select(polars.col("temp").mean()).collect().item())
"""


def make(folder):
    """A table of three columns as text, and a column of normal numbers, as it is and packed by zstd."""
    import numpy
    import polars

    random = numpy.random.default_rng(1)
    text = folder / "table.csv"
    if not text.exists():
        part = folder / "table.part"
        with part.open("wb") as out:
            out.write(b"station,temp,hour\n")
            while out.tell() < BYTES:
                rows = 1 << 20
                stations = [f"st{station}" for station in random.integers(0, 40, rows)]
                temps = numpy.round(random.normal(20, 10, rows), 3)
                columns = {"station": stations, "temp": temps, "hour": random.integers(0, 24, rows)}
                out.write(polars.DataFrame(columns).write_csv(include_header=False).encode())
        part.rename(text)
    numbers = polars.DataFrame({"temp": random.normal(20, 10, BYTES // 8)})
    packed = {"plain.parquet": "uncompressed", "zstd.parquet": "zstd"}
    for name, compression in packed.items():
        if not (folder / name).exists():
            numbers.write_parquet(folder / name, compression=compression)
    return [text, *(folder / name for name in packed)]


def timed(command):
    begun = time.perf_counter()
    said = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    return time.perf_counter() - begun, float(said)


def main():
    treefold, folder = sys.argv[1], Path(sys.argv[2])
    folder.mkdir(parents=True, exist_ok=True)
    print("| file | treefold s | polars s | of polars' |\n|---|---:|---:|---:|")
    for file in make(folder):
        ours = [treefold, "mean", "--column", "temp", "--adapter", "cpu", "--quiet", str(file)]
        commands = [ours, [sys.executable, "-c", BY_POLARS, str(file)]]
        rounds = [[timed(command) for command in commands] for _ in range(ROUNDS)]
        answers = {answer for one in rounds for _, answer in one}
        assert all(math.isclose(answer, rounds[0][0][1], rel_tol=1e-12) for answer in answers), answers
        own, polars = (statistics.median(one[at][0] for one in rounds) for at in range(len(commands)))
        print(f"| {file.name} | {own:.2f} | {polars:.2f} | {own / polars:.2f} |")


if __name__ == "__main__":
    main()
