"""Independent implementation of the surge limiter, which crates/limiters/src/surge.rs documents, for test vectors.

    python3 surge_model.py surge-vectors.json    computes the expected decisions of the file and writes them to it
"""
import json, math, sys

HOUR_LIKE = ('A', 'R', 'S')
DAY_LIKE = ('D', 'RD', 'SD')


class Surge:
    def __init__(self, p):
        self.p = p
        # A, D: admitted events in the hour and the day. R, S, RD, SD: attempts and their stars in the hour and the day.
        # N, NS: admitted events and their stars. M, V: mean and variance. T: age. E: excess. C: lowest level.
        self.s = dict.fromkeys(('A', 'D', 'R', 'S', 'RD', 'SD', 'N', 'NS', 'M', 'V', 'T', 'E', 'C'), 0.0)
        self.last, self.starless = None, False

    def usual_limits(self, s):
        p = self.p
        n, spread = p['day_s'] / p['window_s'], s['V'] + s['M'] + 1
        base = max(p['floor'], s['M'] + p['z'] * math.sqrt(spread))
        return base, max(p['day_floor'], n * s['M'] + p['z'] * math.sqrt(n * spread))

    def pass_time(self, s, gap):
        p = self.p
        x = gap / p['window_s']
        base, day_base = self.usual_limits(s)
        threshold = min(base, day_base * p['window_s'] / p['day_s'])
        level = s['R'] * -math.expm1(-x) / x
        learned = min(level, s['M'] + p['clip'] * (base - s['M']))
        s['T'] += gap
        weight = max(-math.expm1(-gap / p['memory_s']), gap / (s['T'] + p['young_s']) if s['T'] < p['memory_s'] else 0.0)
        above = min(gap, p['window_s'] * math.log(s['R'] / threshold)) if s['R'] > threshold else 0.0
        if above > 0:
            low = max(threshold, s['R'] * math.exp(-x))
            s['C'] = min(s['C'], low) if s['E'] > 0 else low
            s['E'] = min(s['E'] + above, p['patience_s'])
        if above < gap:
            s['E'], s['C'] = max(0.0, s['E'] - (gap - above)), min(s['C'], threshold)
        elif s['E'] >= p['patience_s']:
            learned = max(learned, min(level, p['sustain'] * s['C']))
            weight = max(weight, -math.expm1(-x))
        delta = learned - s['M']
        s['M'] += weight * delta
        s['V'] = (1 - weight) * (s['V'] + weight * delta * delta)
        for name in HOUR_LIKE: s[name] *= math.exp(-x)
        for name in DAY_LIKE: s[name] *= math.exp(-gap / p['day_s'])
        for name in ('N', 'NS'): s[name] *= math.exp(-gap / p['value_memory_s'])

    def calm(self, s, count, stars):
        p = self.p
        usual = (p['value_evidence'] * p['site_mean'] + s['NS']) / (p['value_evidence'] + s['N'])
        far = p['calm_shift'] + (p['calm_noise'] / math.sqrt(count) if count else 0)
        return not self.starless and count >= p['calm_min'] and abs(stars / count - usual) <= far

    def ask(self, now, star, keep=True):
        s, last, starless, p = dict(self.s), self.last, self.starless, self.p
        if last is None or now < last - p['max_backward_ms']:
            at = now
        else:
            at = max(now, last)
            if at > last: self.pass_time(s, (at - last) / 1000)
        s['R'] += 1; s['RD'] += 1
        if star is None: self.starless = True
        else: s['S'] += star; s['SD'] += star
        base, day_base = self.usual_limits(s)
        day_calm = self.calm(s, s['RD'], s['SD'])
        calm = day_calm if s['R'] < p['calm_min'] else self.calm(s, s['R'], s['S'])
        limit = (p['calm_factor'] if calm else 1) * max(base, p['launch'] * math.exp(-s['T'] / p['launch_s']))
        day_limit = (p['calm_factor'] if day_calm else 1) * max(day_base, 5 * p['launch'] * math.exp(-s['T'] / (2 * p['launch_s'])))
        allowed = s['A'] + 1 <= limit and s['D'] + 1 <= day_limit
        if not keep:
            self.starless = starless
            return allowed
        if allowed:
            s['A'] += 1; s['D'] += 1
            if star is not None: s['N'] += 1; s['NS'] += star
        self.s, self.last = s, at
        answer = {'allowed': allowed, 'limit': limit, 'day_limit': day_limit,
                  'reason': 'surge' if not allowed else 'calm' if calm else 'ok', 'retry_after_ms': 0}
        if not allowed:
            low, high = 0, 1
            while not self.ask(at + high, star, keep=False): low, high = high, 2 * high
            while high - low > 1:
                middle = (low + high) // 2
                low, high = (low, middle) if self.ask(at + middle, star, keep=False) else (middle, high)
            answer['retry_after_ms'] = high
        return answer | {name: s[name] for name in s if name not in ('S', 'SD')}


path = sys.argv[1]
file = json.load(open(path))
for vector in file['limiters']['surge']:
    model = Surge(vector['params'])
    vector['expected'] = [model.ask(event['t_ms'], event.get('star')) for event in vector['events']]
with open(path, 'w') as out:
    json.dump(file, out, separators=(',', ':'))
    out.write('\n')
