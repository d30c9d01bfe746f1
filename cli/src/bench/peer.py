"""NumPy and PyTorch as peers of `treefold bench`: python3 peer.py PEER OPERATOR TYPE ELEMENTS INPUT.

The elements, to be repeated, lie in the file TREEFOLD_BLOCK. Samples are taken as treefold takes its own: from the third on, behind
TREEFOLD_WARM_MS of work, each of as many calls as take a millisecond. Status 3: not computed by this peer.
"""

import json, math, os, re, sys, time

peer, operator, dtype, elements, arranged = sys.argv[1:]
elements = int(elements)
samples, warm = int(os.environ["TREEFOLD_SAMPLES"]), int(os.environ["TREEFOLD_WARM_MS"]) / 1e3
pool = int(os.environ["TREEFOLD_POOL_BYTES"])
name, _, inner = operator.rstrip(")").partition("(")
options = dict(item.split("=", 1) for item in inner.split(",") if "=" in item)
ddof = int(options.get("ddof", 0))
if name.startswith("fast_"):
    name = name[5:]
if float(options.get("scale", 1)) != 1:
    sys.exit(3)


def none():
    sys.exit(3)


def say(what, version, us, answer):
    # JSON has no infinities.
    if answer and not all(math.isfinite(number) for number in answer):
        answer = None
    print(json.dumps({"what": what, "name": version, "us": us, "answer": answer}))


def taken(sample):
    begun, seen, times = time.perf_counter(), 0, []
    while len(times) < samples:
        us = sample()
        seen += 1
        late = time.perf_counter() - begun >= warm + 20
        if late or seen > 2 and time.perf_counter() - begun >= warm:
            times.append(us)
        if late:
            break
    return times


def axes():
    """The shape and the axes of an input of the kind "axis 0,1 of 4x5"; None of a whole one."""
    if arranged == "whole":
        return None
    found = re.fullmatch(r"axis ([-0-9,]+) of ([0-9x]+)", arranged)
    if not found:
        none()
    return [int(n) for n in found[2].split("x")], tuple(int(n) for n in found[1].split(","))


def of_numpy():
    try:
        import numpy as np
    except ImportError:
        sys.exit("numpy is not installed: python3 -m pip install numpy")
    types = {"f16": "f2", "f32": "f4", "f64": "f8", "i8": "i1", "u8": "u1", "i16": "i2", "u16": "u2"}
    types |= {"i32": "i4", "u32": "u4", "i64": "i8", "u64": "u8", "f32x2": "f4", "f64x2": "f8"}
    if dtype not in types:
        none()
    block = np.fromfile(os.environ["TREEFOLD_BLOCK"], types[dtype])
    width = 2 if dtype.endswith("x2") else 1
    x = np.resize(block, elements * width)
    axis = None
    if arranged.startswith("segments of ") and name == "sum":
        length = int(arranged.removeprefix("segments of ")) if arranged[12:].isdigit() else none()
        starts = np.arange(0, elements, length)
        call = lambda: np.add.reduceat(x, starts)
        return np, call
    if (shape := axes()) is not None:
        x, axis = x.reshape(shape[0]), shape[1] if len(shape[1]) > 1 else shape[1][0]
    whole = {
        "count_nan": lambda: np.count_nonzero(np.isnan(x)), "sumsq": lambda: np.dot(x, x),
        "norm1": lambda: np.linalg.norm(x, 1),
        "stats": lambda: (np.size(x), np.count_nonzero(np.isnan(x)), np.sum(x), np.mean(x), np.std(x, ddof=ddof), np.min(x),
                          np.max(x), np.argmin(x), np.argmax(x))[:7],
    }
    one = {
        "sum": lambda: np.sum(x, axis), "min": lambda: np.min(x, axis), "max": lambda: np.max(x, axis),
        "mean": lambda: np.mean(x, axis), "product": lambda: np.prod(x, axis), "argmin": lambda: np.argmin(x, axis),
        "argmax": lambda: np.argmax(x, axis), "variance": lambda: np.var(x, axis, ddof=ddof),
        "std": lambda: np.std(x, axis, ddof=ddof), "count_nonzero": lambda: np.count_nonzero(x, axis),
        "any": lambda: np.any(x, axis), "all": lambda: np.all(x, axis),
        "minmax": lambda: (np.min(x, axis), np.max(x, axis)), "range": lambda: np.ptp(x, axis),
        "norm2": lambda: np.linalg.norm(x, axis=axis),
        "and": lambda: np.bitwise_and.reduce(x, axis), "or": lambda: np.bitwise_or.reduce(x, axis),
        "xor": lambda: np.bitwise_xor.reduce(x, axis), "logsumexp": lambda: np.logaddexp.reduce(x, axis),
    }
    if axis is None:
        one |= whole
    if width == 2:
        left, right = (np.ascontiguousarray(x[at::2]) for at in (0, 1))
        one = {"dot": lambda: np.dot(left, right), "covariance": lambda: np.cov(left, right, ddof=ddof)[0, 1],
               "correlation": lambda: np.corrcoef(left, right)[0, 1]}
    elif name == "histogram" and axis is None and "edges" not in options and "integers" not in options:
        low, high = (float(end) for end in options["range"].split(":"))
        return np, lambda: np.histogram(x, int(options["bins"]), (low, high))[0]
    if name not in one:
        none()
    return np, one[name]


def numpy():
    np, call = of_numpy()
    begun = time.perf_counter()
    try:
        answer = call()
    except (TypeError, ValueError):
        none()
    first = max(time.perf_counter() - begun, 1e-9)
    reps = max(1, min(100_000, int(1e-3 / first)))

    def sample():
        begun = time.perf_counter()
        for _ in range(reps):
            call()
        return (time.perf_counter() - begun) * 1e6 / reps

    flat = np.concatenate([np.ravel(part) for part in (answer if isinstance(answer, tuple) else (answer,))])
    found = [float(number) for number in flat] if len(flat) <= 64 else None
    say("slice", f"NumPy {np.__version__}", taken(sample), found)


def torch():
    try:
        import torch as t
    except ImportError:
        sys.exit("torch is not installed: python3 -m pip install torch")
    types = {"f16": t.float16, "bf16": t.bfloat16, "f32": t.float32, "f64": t.float64, "i8": t.int8, "u8": t.uint8,
             "i16": t.int16, "i32": t.int32, "i64": t.int64}
    if dtype not in types:
        none()
    where = "cuda" if t.cuda.is_available() else "cpu"
    with open(os.environ["TREEFOLD_BLOCK"], "rb") as file:
        block = t.frombuffer(bytearray(file.read()), dtype=types[dtype])
    windows = max(1, min(64, pool // (elements * block.element_size()))) if where == "cuda" else 1
    block = block.to(where)
    all = block.repeat(-(-elements * windows // block.numel()))[: elements * windows]
    parts = [all[at * elements : (at + 1) * elements] for at in range(windows)]
    axis = None
    if (shape := axes()) is not None:
        parts, axis = [part.reshape(shape[0]) for part in parts], shape[1]
    along = {} if axis is None else {"dim": axis if len(axis) > 1 else axis[0]}
    one = {
        "sum": lambda x: t.sum(x, **along), "mean": lambda x: t.mean(x, **along), "argmin": lambda x: t.argmin(x, **along),
        "argmax": lambda x: t.argmax(x, **along), "variance": lambda x: t.var(x, correction=ddof, **along),
        "std": lambda x: t.std(x, correction=ddof, **along), "any": lambda x: t.any(x, **along),
        "all": lambda x: t.all(x, **along), "count_nonzero": lambda x: t.count_nonzero(x, **along),
        "min": lambda x: t.amin(x, **along), "max": lambda x: t.amax(x, **along),
        "product": lambda x: t.prod(x, **along), "norm2": lambda x: t.linalg.vector_norm(x, **along),
        "logsumexp": lambda x: t.logsumexp(x, along.get("dim", tuple(range(x.dim())))),
    }
    if axis is None:
        one["minmax"] = lambda x: t.aminmax(x)
    if axis is None or len(axis) == 1:
        one["top"] = lambda x: t.topk(x, int(options.get("k", 10)), **along)
    if name not in one:
        none()
    call = one[name]
    try:
        answer = call(parts[0])
    except (RuntimeError, NotImplementedError, TypeError, ValueError):
        none()
    if where == "cuda":
        reps = 200 if elements <= 1 << 22 else 20
        begin, end = t.cuda.Event(enable_timing=True), t.cuda.Event(enable_timing=True)

        def sample():
            begin.record()
            for at in range(reps):
                call(parts[at % windows])
            end.record()
            t.cuda.synchronize()
            return begin.elapsed_time(end) * 1e3 / reps
    else:
        begun = time.perf_counter()
        call(parts[0])
        reps = max(1, min(100_000, int(1e-3 / max(time.perf_counter() - begun, 1e-9))))

        def sample():
            begun = time.perf_counter()
            for _ in range(reps):
                call(parts[0])
            return (time.perf_counter() - begun) * 1e6 / reps

    found = [float(answer)] if isinstance(answer, t.Tensor) and answer.numel() == 1 else None
    say("kernel" if where == "cuda" else "slice", f"PyTorch {t.__version__} ({where})", taken(sample), found)


{"numpy": numpy, "torch": torch}.get(peer, none)()
