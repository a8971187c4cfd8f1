# SPDX-FileCopyrightText: 2026 The Arenite authors
# SPDX-License-Identifier: MIT
import json
import random
import re
import subprocess
import sys
import threading

random.seed(7)
words = ["".join(random.choice("abcdefg") for _ in range(random.randrange(1, 12))) for _ in range(40000)]
counts = {}
for w in words:
    counts.setdefault(w[:3], []).append(w)
text = json.dumps(counts, sort_keys=True)
print(len(text), len(re.findall(r'"a[b-d]*"', text)))
again = json.loads(text)
for k in list(again)[::2]:
    del again[k]
print(sum(len(v) for v in again.values()), hash(tuple(range(1000))))
results = []
threads = [threading.Thread(target=lambda n=n: results.append(sum(len(str(i)) for i in range(n * 1000)))) for n in range(8)]
for t in threads:
    t.start()
for t in threads:
    t.join()
print(sorted(results))
print(subprocess.run([sys.executable, "-c", "print([bytes(10**6) for _ in range(20)][3][:4])"], capture_output=True).stdout)
