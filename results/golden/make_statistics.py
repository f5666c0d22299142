#!/usr/bin/env python3
# SPDX-License-Identifier: MIT
"""Makes statistics.json, the figures that results/statistics_test.cc holds its
own against. Run once, by hand, with Debian 12's python3-scipy (1.10) and
python3-numpy (1.24); the build needs neither.

    python3 results/golden/make_statistics.py > results/golden/statistics.json

The aligned-rank test has no counterpart there: it is written out below by
listing every permutation, which has nothing in common with the convolution
that it checks.
"""
import itertools
import json
import math

import numpy
import scipy
from scipy import stats

rng = numpy.random.default_rng(20240601)


def times(n, centre, cov):
    return [float(x) for x in centre * numpy.exp(rng.normal(0, cov, n))]


def rounded(n, centre, cov, digits):
    return [round(x, digits) for x in times(n, centre, cov)]


def t_quantile(tail, df):
    """scipy's ppf is good to nine digits; its sf and pdf are better."""
    t = stats.t.isf(tail, df)
    for _ in range(3):
        t += (stats.t.sf(t, df) - tail) / stats.t.pdf(t, df)
    return t


def welch(a, b):
    t, p = stats.ttest_ind(b, a, equal_var=False)
    va, vb = numpy.var(a, ddof=1) / len(a), numpy.var(b, ddof=1) / len(b)
    df = (va + vb) ** 2 / (va**2 / (len(a) - 1) + vb**2 / (len(b) - 1))
    reach = t_quantile(0.025, df) * math.sqrt(va + vb)
    d = numpy.mean(b) - numpy.mean(a)
    return dict(t=t, p=p, df=df, low=d - reach, high=d + reach)


def mann_whitney(a, b):
    u, p = stats.mannwhitneyu(b, a, alternative="two-sided", method="auto")
    return dict(u=u, p=p)


def signed_rank(d):
    w, p = stats.wilcoxon(d, zero_method="wilcox", correction=False)
    return dict(w=w, p=p)


def holm(p):
    order = numpy.argsort(p, kind="stable")
    m, out, top = len(p), [0.0] * len(p), 0.0
    for k, i in enumerate(order):
        top = max(top, min(1.0, (m - k) * p[i]))
        out[i] = top
    return out


def benjamini_hochberg(p):
    m = len(p)
    out = []
    for x in p:
        out.append(min(1.0, min(m * y / sum(z <= y for z in p) for y in p if y >= x)))
    return out


def aligned_rank(blocks):
    values, sizes = [], []
    for a, b in blocks:
        centre = (numpy.mean(a) + numpy.mean(b)) / 2
        values += [x - centre for x in a + b]
        sizes.append((len(a), len(b)))
    ranks = stats.rankdata([round(v, 12) for v in values])
    choices, observed, expected, at = [], 0.0, 0.0, 0
    for na, nb in sizes:
        r = ranks[at:at + na + nb]
        at += na + nb
        observed += sum(r[na:])
        expected += nb * numpy.mean(r)
        choices.append([sum(c) for c in itertools.combinations(r, nb)])
    hits = total = 0
    for picked in itertools.product(*choices):
        total += 1
        hits += abs(sum(picked) - expected) >= abs(observed - expected) - 1e-9
    return hits / total


def hodges_lehmann(blocks):
    a, b = [], []
    for x, y in blocks:
        centre = (numpy.mean(x) + numpy.mean(y)) / 2
        a += [v - centre for v in x]
        b += [v - centre for v in y]
    return float(numpy.median([v - u for u in a for v in b]))


two_samples = []
for a, b in [
    (times(12, 1.4, 0.03), times(12, 1.36, 0.03)),
    (times(5, 1.0, 0.1), times(17, 1.1, 0.02)),
    (times(4, 2.0, 0.01), times(4, 2.2, 0.01)),
    (rounded(20, 0.5, 0.02, 2), rounded(25, 0.51, 0.02, 2)),
    (rounded(7, 0.5, 0.05, 1), rounded(6, 0.5, 0.05, 1)),
    (times(40, 100.0, 0.2), times(33, 90.0, 0.4)),
]:
    two_samples.append(dict(a=a, b=b, welch=welch(a, b), mann_whitney=mann_whitney(a, b)))

paired = []
for d in [
    [x - 1.0 for x in times(12, 1.02, 0.03)],
    [x - 1.0 for x in times(49, 1.005, 0.03)],
    [round(x - 1.0, 2) for x in times(30, 1.01, 0.03)],
    [x - 1.0 for x in times(60, 1.0, 0.03)],
]:
    paired.append(dict(d=d, **signed_rank(d)))

families = []
for p in [
    [0.01, 0.04, 0.03, 0.005, 0.5],
    [0.2, 0.2, 0.01, 0.9, 0.9999, 0.0001, 0.05],
    [float(x) for x in rng.uniform(0, 1, 30) ** 3],
]:
    families.append(dict(p=p, holm=holm(p), bh=benjamini_hochberg(p)))

quantiles = []
for v in [times(9, 1.0, 0.1), times(10, 1.0, 0.1), [3.0], rounded(15, 1.0, 0.2, 1)]:
    quantiles.append(dict(
        v=v,
        q={str(p): float(numpy.quantile(v, p)) for p in (0, 0.05, 0.25, 0.5, 0.9, 0.99, 1)},
        mad=float(stats.median_abs_deviation(v)),
        rank=[float(x) for x in stats.rankdata(v)]))

blocks = []
for sizes, digits, shift in [
    ([(2, 2)] * 3, 6, 0.0), ([(2, 2)] * 6, 6, -0.03), ([(2, 2)] * 5, 2, 0.02),
    ([(1, 1)] * 8, 6, 0.02), ([(3, 2), (2, 3), (2, 2), (1, 3)], 6, 0.05),
    ([(4, 4)] * 3, 3, 0.0),
]:
    data = []
    for na, nb in sizes:
        drift = rng.normal(0, 0.1)
        data.append(([round(drift + x, digits) for x in rng.normal(0, 0.03, na)],
                     [round(drift + shift + x, digits) for x in rng.normal(0, 0.03, nb)]))
    blocks.append(dict(
        blocks=[dict(a=a, b=b) for a, b in data], p=aligned_rank(data),
        shift=hodges_lehmann(data)))

print(json.dumps(dict(
    made_with=f"scipy {scipy.__version__}, numpy {numpy.__version__}",
    two_samples=two_samples, paired=paired, families=families,
    quantiles=quantiles, blocks=blocks), indent=1))
