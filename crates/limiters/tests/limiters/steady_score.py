"""Reference model of the steady score, and generator of steady-vectors.json.

The rule in three sentences:

1. Ratings are grouped into periods (a calendar week at most; a day with 20 ratings or more, and each day of a new post, is a
   period of its own), and a period weighs at most 1.5 times what is usual for its length.
2. A period whose average is far from the reference score, a slow average of all periods, is held back: it is excluded if it
   also has more ratings than usual, and otherwise counts once such periods outweigh the others two to four times.
3. Ratings of a new post are not limited until they weigh 40 together; what they weigh beyond the limits shrinks as far as later
   ratings contradict them.

Who rates makes no difference. Each rating costs constant time and memory. Formulas of a period, when it ends or as it stands:

    n, x          number of ratings and their average; length: days from the first to the last rating of the period
    limit       = max(least, factor * usual * length)              L = min(n, limit)
    surge       = edge(n / limit)                                  edge(v): 0 up to v = 1, rises to 1 at v = 1.5
    reference   = (A h + f p) / (A + f)                            f = the provisional weight, at most first - A; p its average
    deviation   = edge(|x - reference| / (shift + noise / sqrt(n))) * min(1, A / young)
    regular     = L (1 - deviation)
    provisional = what is left of n, as far as regular and provisional weight are below `first`
    held        = L * deviation * (1 - surge), as far as something is left of n

    afterwards    usual   moves to L (1 - surge * deviation) / length with a memory of `memory_days` (a plain average at first)
                  h       moves to x by the share L / (A + L), but once A has reached `young` no further than
                          that share of shift + noise / sqrt(n);          A = A + L

    score       = weighted average of: regular weight W; provisional weight, at most first - conflict * W, where
                  conflict = edge(|p - average of W| / (shift + noise / sqrt(max(W, 1)))); and the share `released` of the
                  held weight H, which rises from 0 to 1 while H / min(evidence, the other weight) rises from 2 to 4

Theorem. If N ratings have the same stars, and none was changed, withdrawn or excluded, then m further ratings move the score by
at most 4 m / min(N + m, 40): each rating weighs at most 1, and all of them together weigh at least min(N + m, 40).

    python3 steady_score.py            check the model against steady-vectors.json
    python3 steady_score.py --write    write steady-vectors.json
    python3 steady_score.py --cost     print how many accounts move a score by 0.1 stars
    python3 steady_score.py --search   search for histories in which few accounts move a score far
"""
import json
import math
import os
import random
import sys

PARAMS = dict(factor=1.5, least=3.0, memory_days=28.0, shift=0.1, noise=2.0, young=15.0, first=40.0, period_ratings=20, outweigh=2.0,
              evidence=150.0)
ROUNDING = 1e-9


def clamp(value, low, high):
    return max(low, min(high, value))


def edge(value):
    return clamp((value - 1) / 0.5, 0.0, 1.0)


def week(day):
    """Number of the calendar week, which begins on Monday; day 0 is Thursday, 1970-01-01."""
    return (day + 3) // 7


class Sum:
    """Weight and weighted stars of some ratings."""

    def __init__(self, weight=0.0, stars=0.0):
        self.weight, self.stars = weight, stars

    def plus(self, weight, average):
        return Sum(self.weight + weight, self.stars + weight * average)

    def average(self):
        return self.stars / self.weight if self.weight > ROUNDING else None


class Period:
    """Ratings from `first` to `last`, days since 1970-01-01 (UTC). Each weighs these shares of 1, from the moment the period ends."""

    def __init__(self, day):
        self.first = self.last = day
        self.count = self.stars = 0
        self.regular = self.provisional = self.held = 0.0
        self.excluded = False

    def length(self):
        return self.last - self.first + 1


class Steady:
    def __init__(self, **params):
        self.p = {**PARAMS, **params}
        self.regular, self.provisional, self.held = Sum(), Sum(), Sum()    # of ended periods
        self.usual = 0.0              # weight of an average day
        self.start = None             # day of the first rating of all
        self.reference = 0.0          # h
        self.known = 0.0              # A: weight that the reference has learned from
        self.open = None
        self.ended = []

    # ---- events

    def rate(self, day, star):
        """Count a rating on `day`. A clock that runs backwards counts on the last day."""
        if self.open is not None and self.ends_before(day):
            self.end()
        if self.open is None:
            silent = day - self.ended[-1].last - 1 if self.ended else 0
            self.usual *= math.exp(-silent / self.p['memory_days'])
            self.open = Period(day)
            self.start = day if self.start is None else self.start
        self.open.last = max(self.open.last, day)
        self.open.count += 1
        self.open.stars += star

    def take_back(self, day, star):
        """Withdraw a rating that was counted on `day`. A changed rating is withdrawn and then counted with its new stars."""
        period = self.period_of(day)
        if period is not self.open and not period.excluded:
            self.add(period, -1, -star)
        period.count -= 1
        period.stars -= star

    def void(self, day, voided=True):
        """Exclude the ended period that has this day, or include it again. What was learned from it stays."""
        period = self.period_of(day)
        assert period is not self.open, 'the period has not ended'
        if period.excluded != voided:
            sign = -1 if voided else 1
            self.add(period, sign * period.count, sign * period.stars)
            period.excluded = voided

    # ---- score

    def shown(self):
        """(score, weight); the score is None while nothing counts."""
        regular, provisional, held = self.with_open()[:3]
        q, released = self.parts(regular, provisional, held)
        total = Sum(regular.weight, regular.stars)
        if q > 0:
            total = total.plus(q, provisional.average())
        if released > 0:
            total = total.plus(released * held.weight, held.average())
        return total.average(), total.weight

    def parts(self, regular, provisional, held):
        """Provisional weight that counts, and the share of the held weight that does."""
        p, q, released = self.p, 0.0, 0.0
        if provisional.weight > ROUNDING:
            conflict = 1.0
            if regular.weight > ROUNDING:
                tolerance = p['shift'] + p['noise'] / math.sqrt(max(1.0, regular.weight))
                conflict = edge(abs(provisional.average() - regular.average()) / tolerance)
            q = clamp(p['first'] - conflict * regular.weight, 0.0, provisional.weight)
        if held.weight > ROUNDING:
            other = min(p['evidence'], regular.weight + q)
            released = clamp(held.weight / other / p['outweigh'] - 1, 0.0, 1.0) if other > ROUNDING else 1.0
        return q, released

    # ---- periods

    def ends_before(self, day):
        if day <= self.open.last:
            return False
        is_full = self.open.count >= self.p['period_ratings']
        return is_full or self.known < self.p['young'] or week(day) != week(self.open.first)

    def period_of(self, day):
        if self.open is not None and day >= self.open.first:
            return self.open
        return next(period for period in self.ended if period.first <= day <= period.last)

    def add(self, period, count, stars):
        for sum_, share in ((self.regular, period.regular), (self.provisional, period.provisional), (self.held, period.held)):
            sum_.weight += share * count
            sum_.stars += share * stars

    def with_open(self):
        """Sums with the open period as it stands, the weights of that, and what its end teaches: usual weight, reference, its weight."""
        p, period = self.p, self.open
        if period is None or period.count == 0:
            return self.regular, self.provisional, self.held, (0.0, 0.0, 0.0), 0.0, self.reference, self.known
        n, x = period.count, period.stars / period.count
        limit = max(p['least'], p['factor'] * self.usual * period.length())
        part = min(n, limit)
        surge = edge(n / limit)
        tolerance = p['shift'] + p['noise'] / math.sqrt(n)
        f = clamp(p['first'] - self.known, 0.0, self.provisional.weight)
        f = f if self.provisional.weight > ROUNDING else 0.0
        deviation = 0.0
        if self.known > ROUNDING:
            known = Sum(self.known, self.known * self.reference)
            around = (known.plus(f, self.provisional.average()) if f > 0 else known).average()
            deviation = edge(abs(x - around) / tolerance) * min(1.0, self.known / p['young'])
        regular = part * (1 - deviation)
        room = max(0.0, p['first'] - self.regular.weight - self.provisional.weight)
        provisional = min(n - regular, room)
        held = min(part * deviation * (1 - surge), n - regular - provisional)
        weights = (regular, provisional, held)
        # the reference
        reference = self.reference
        free = clamp(p['young'] - self.known, 0.0, part)
        if free > 0:
            reference += free / (self.known + free) * (x - reference)
        if part > free:
            reference += (part - free) / (self.known + part) * clamp(x - reference, -tolerance, tolerance)
        sums = (sum_.plus(weight, x) for sum_, weight in zip((self.regular, self.provisional, self.held), weights))
        return *sums, weights, part * (1 - surge * deviation), reference, self.known + part

    def end(self):
        """End the open period."""
        period = self.open
        self.regular, self.provisional, self.held, weights, taught, self.reference, self.known = self.with_open()
        if period.count > 0:
            period.regular, period.provisional, period.held = (weight / period.count for weight in weights)
        length, age = period.length(), period.last - self.start + 1
        learn = max(1 - math.exp(-length / self.p['memory_days']), length / age)
        self.usual += learn * (taught / length - self.usual)
        self.ended.append(period)
        self.open = None


# ---- vectors

def run(vector):
    model, out = Steady(**vector.get('params', {})), []
    for event in vector['events']:
        for _ in range(event.get('repeat', 1)):
            if event['op'] == 'rate':
                model.rate(event['day'], event['star'])
            elif event['op'] == 'take_back':
                model.take_back(event['day'], event['star'])
            elif event['op'] == 'void':
                model.void(event['day'], event['voided'])
        score, weight = model.shown()
        out.append({'score': score, 'weight': weight, 'usual': model.usual})
    return out


DAY = 20_700    # a Friday


def rate(day, star, repeat=1):
    return {'op': 'rate', 'day': DAY + day, 'star': star, **({'repeat': repeat} if repeat > 1 else {})}


def take_back(day, star, repeat=1):
    return {**rate(day, star, repeat), 'op': 'take_back'}


def void(day, voided=True):
    return {'op': 'void', 'day': DAY + day, 'voided': voided}


def steady(days, a_day=2, stars=(4, 5), begin=0):
    return [rate(begin + day, stars[day % len(stars)], a_day) for day in range(days)]


def random_events(seed, count):
    r, day, events, given = random.Random(seed), 0, [], []
    model = Steady()
    for _ in range(count):
        what = r.random()
        if what < 0.72 or not given:
            day += r.choice((0, 0, 1, 1, 2, 9))
            event = rate(day, r.choice((1, 3, 4, 5, 5)), r.choice((1, 1, 2, 5, 30)))
            given += [(event['day'], event['star'])] * event.get('repeat', 1)
        elif what < 0.9:
            at, star = given.pop(r.randrange(len(given)))
            event = take_back(at - DAY, star)
        else:
            if not model.ended:
                continue
            period = r.choice(model.ended)
            event = void(period.first - DAY, not period.excluded)
        for _ in range(event.get('repeat', 1)):
            if event['op'] == 'rate':
                model.rate(event['day'], event['star'])
            elif event['op'] == 'take_back':
                model.take_back(event['day'], event['star'])
            else:
                model.void(event['day'], event['voided'])
        events.append(event)
    return events


def vectors():
    all_fives = rate(0, 5, 100)
    made = [
        ('first_ratings', [rate(0, 5), rate(0, 4), rate(0, 3), rate(1, 1)], 'the first 40 ratings count whole'),
        ('forty_and_one', [rate(0, 5, 40), rate(0, 1)], 'one of 41 moves the score by 0.1'),
        ('launch_then_one_a_day', [all_fives] + [rate(day, 1) for day in range(1, 11)], 'ten accounts after a launch'),
        ('launch_then_five_a_day', [all_fives] + [rate(day, 1, 5) for day in range(1, 11)], ''),
        ('surge_in_a_day', steady(30) + [rate(30, 1, 2000), rate(31, 4)], 'more than usual and of another opinion: excluded'),
        ('surge_of_the_usual_opinion', steady(30) + [rate(30, 4, 1000), rate(30, 5, 1000), rate(31, 4)], 'more than usual: limited'),
        ('slow_drip', steady(40) + [event for day in range(40, 60) for event in (rate(day, 4), rate(day, 1))], ''),
        ('lasting_change', steady(15, 8) + steady(60, 8, (1, 2), 15), 'held back, then released'),
        ('change_on_the_same_day', [rate(0, 5), take_back(0, 5), rate(0, 2)], ''),
        ('change_across_periods', steady(30) + [take_back(3, 4), rate(30, 1), take_back(30, 1), rate(44, 2)], ''),
        ('exclude_and_restore', steady(30) + [void(20), void(20), void(20, False), void(9)], ''),
        ('withdrawn_from_an_excluded_period', steady(30) + [void(20), take_back(20, 4), void(20, False)], ''),
        ('all_withdrawn', [rate(0, 4), rate(3, 2), take_back(0, 4), take_back(3, 2), rate(9, 5)], ''),
        ('clock_runs_backwards', [rate(5, 4), rate(6, 5), rate(2, 1), rate(9, 2)], ''),
        ('weeks', [rate(day, 4 + day % 2) for day in range(0, 60, 2)], 'periods end with their week'),
        ('birth_surge', [rate(0, 4, 4), rate(1, 1, 2000)] + steady(60, 3, (4, 5, 3), 2), ''),
    ]
    result = [{'name': name, 'events': events, **({'note': note} if note else {})} for name, events, note in made]
    other = dict(factor=2.0, least=1.0, memory_days=7.0, shift=0.3, noise=1.0, young=5.0, first=10.0, period_ratings=5, outweigh=1.0,
                 evidence=20.0)
    result.append({'name': 'other_parameters', 'params': other, 'events': steady(20) + [rate(20, 1, 30)] + steady(20, 3, (1, 2), 21)})
    for seed in range(4):
        result.append({'name': f'random_{seed}', 'events': random_events(seed, 60)})
    return [{**vector, 'expected': run(vector)} for vector in result]


# ---- cost of an attack

USUAL = (5, 4, 5, 3, 4, 5, 4, 5, 1, 4)    # stars of honest ratings, in turn; 4.0 on average


def honest(a_day):
    """Stars of honest ratings, day by day; `a_day` may be a fraction."""
    given = due = 0
    while True:
        due += a_day
        number = int(due + 1e-9) - given
        yield [USUAL[(given + k) % len(USUAL)] for k in range(number)]
        given += number


class Average:
    """The plain average, for comparison."""

    def __init__(self):
        self.all = Sum()

    def rate(self, day, star):
        self.all = self.all.plus(1, star)

    def shown(self):
        return self.all.average(), self.all.weight


def cost(score, before, a_day, attackers, attack_days):
    """Accounts with one star each, so many a day, until the score is lower by 0.1 for a week; None if that does not happen."""
    quiet, attacked, days, below = score(), score(), honest(a_day), 0
    for day in range(before + attack_days + 7):
        for star in next(days):
            quiet.rate(day, star)
            attacked.rate(day, star)
        attack_day = day - before + 1
        for _ in range(attackers if 1 <= attack_day <= attack_days else 0):
            attacked.rate(day, 1)
        scores = quiet.shown()[0], attacked.shown()[0]
        below = below + 1 if None not in scores and scores[0] - scores[1] >= 0.1 else 0
        if below == 7:
            return attackers * min(attack_day - 6, attack_days)
    return None


def print_cost():
    rates = ('1 a day', '3 a day', '10 a day', '100 a day', '2,000 on one day')
    print('| honest ratings before the attack | displayed score | ' + ' | '.join(f'accounts needed at {rate}' for rate in rates) + ' |')
    print('|---|---|---|---|---|---|---|')
    for name, before, a_day in (('10 ratings a day for 60 days', 60, 10), ('1 rating a day for 100 days', 100, 1),
                                ('1 rating a day for 30 days', 30, 1)):
        for score in Average, Steady:
            found = [cost(score, before, a_day, attackers, days) for attackers, days in
                     ((1, 365), (3, 365), (10, 365), (100, 365), (2000, 1))]
            cells = ' | '.join('–' if accounts is None else f'{accounts:,}' for accounts in found)
            print(f'| {name} | {score.__name__.lower()} | {cells} |')


# ---- search for large moves

def score_of(ratings):
    """Score of (day, star) pairs. Another rating on day 0 is in all histories, so that the age of the post is the same."""
    model = Steady()
    model.rate(0, 3)
    for day, star in sorted(ratings, key=lambda rating: rating[0]):
        model.rate(day, star)
    return model.shown()[0]


def random_history(r, count, opinions):
    day, ratings = 0, []
    while len(ratings) < count:
        day += r.choice((0, 0, 1, 1, 1, 2, 5, 30))
        opinion = r.choice(opinions)
        ratings += [(day, r.choice(opinion)) for _ in range(min(count - len(ratings), r.choice((1, 1, 2, 3, 8, 20, 60))))]
    return ratings


def climb(r, count, few, opinions, rounds):
    """Largest move by `few` accounts that is found when their ratings, and those of the others, are changed step by step."""
    others = random_history(r, count, opinions)
    added = [(r.choice(others)[0], 1) for _ in range(few)]
    moved = [abs(score_of(others + added) - score_of(others))]
    for _ in range(rounds):
        new_others, new_added = list(others), list(added)
        for _ in range(r.choice((1, 1, 2, 5))):
            change = r.choice((new_others, new_others, new_added))
            at = r.randrange(len(change))
            day = max(0, r.choice(new_others)[0] + r.choice((-1, 0, 0, 1)))
            stars = r.choice(opinions) if change is new_others else (1, 5)
            change[at] = (day, r.choice((change[at][1], r.choice(stars))))
        found = abs(score_of(new_others + new_added) - score_of(new_others))
        if found >= moved[-1]:
            others, added = new_others, new_added
            moved.append(found)
    return moved[0], moved[-1]


def print_search():
    print('| attacking accounts (m) | other ratings (N) | stars of the other ratings | goal: maximum movement in stars | random '
          'histories: 95th percentile of the movement | search: largest movement |\n|---|---|---|---|---|---|')
    kinds = {'equal (5 stars)': ((5,),), 'similar (3 to 5 stars)': ((3, 4, 4, 5, 5),),
             'different (1 to 5 stars)': ((1, 1, 2, 3, 4, 5), (5,), (1,), (4, 5), (3, 4, 5))}
    for few, count in ((1, 10), (1, 30), (1, 100), (10, 100)):
        for kind, opinions in kinds.items():
            r = random.Random(36)
            found = [climb(r, count, few, opinions, 150) for _ in range(40)]
            start = sorted(first for first, _ in found)[int(0.95 * len(found))]
            bound = 12 * few / (count + few) + 0.1
            print(f'| {few} | {count} | {kind} | {bound:.2f} | {start:.2f} | {max(last for _, last in found):.2f} |', flush=True)


if __name__ == '__main__':
    if '--cost' in sys.argv:
        sys.exit(print_cost())
    if '--search' in sys.argv:
        sys.exit(print_search())
    arguments = [argument for argument in sys.argv[1:] if argument != '--write']
    path = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), 'steady-vectors.json')
    if '--write' in sys.argv:
        note = 'events happen in order; after each, with its repeats, the score, its weight and the usual weight of a day, within 1e-9'
        lines = ',\n  '.join(json.dumps(vector, separators=(',', ':')) for vector in vectors())
        with open(path, 'w') as file:
            file.write('{\n "note": %s,\n "vectors": [\n  %s\n ]\n}\n' % (json.dumps(note), lines))
    data = json.load(open(path))
    for vector in data['vectors']:
        for got, want in zip(run(vector), vector['expected'], strict=True):
            for name, value in want.items():
                assert (value is None and got[name] is None) or abs(got[name] - value) <= 1e-9, (vector['name'], name, got, want)
    print(len(data['vectors']), 'vectors agree')
