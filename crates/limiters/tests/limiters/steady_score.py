"""Reference model of the steady score, and generator of steady-vectors.json.

The rules:

1. Ratings are grouped into periods (a calendar week at most; a period ends earlier after the day on which it reaches 20 ratings,
   and each day of a new post is a period of its own), and a period weighs at most 1.5 times what is usual for its length.
2. If the average of a period is far from the reference score, a slow average of all periods, then each number of stars that was
   given much more often than usual counts only as often as usual; the rest is dropped if the period has more ratings than usual.
3. If the average is still far from the reference score, the period is held back: it counts once such periods outweigh the others
   two to four times.
4. Ratings of a new post are not limited until they weigh 40 together; what they weigh beyond the limits shrinks as far as later
   ratings contradict them.

Who rates makes no difference. The state is a function of the ratings that exist and of the days on which they were first given:
a changed rating stays on its day, and a withdrawn or excluded one leaves nothing behind. A new rating costs constant time and
memory; any other change computes the state again from the number of ratings per day. Formulas of a period, when it ends or as it
stands:

    n[s], n, x  = number of ratings with s stars, and of all; their average
    length      = days from the first to the last rating of the period
    u           = usual * length, the usual number of ratings;  u[s] = u * typical[s]
    reference   = (A h + f p) / (A + f)     h = average of `typical`; f = the provisional weight, at most first - A; p its average
    far(x, n)   = edge(|x - reference| / (shift + noise / sqrt(n))) * min(1, A / young)   edge(v): 0 up to v = 1, 1 from v = 1.5

    excess[s]   = edge(n[s] / max(1, u[s] + spread sqrt(u[s]))) * far(x, n)
    normal      = min(u, number of ratings without excess / their usual share)
    removed[s]  = excess[s] * max(0, n[s] - normal * typical[s])
    k[s], k, y  = n[s] - removed[s], their sum and average

    limit       = max(least, factor * u)                   L = min(k, limit)     surge(v) = edge(v / limit)
    regular     = L (1 - far(y, k))                                              shared among the stars like k[s]
    provisional = what is left of n, as far as regular and provisional weight are below `first`        shared like the rest
    held        = L far(y, k) (1 - surge(k)), shared like k[s], and of the removed ratings the number
                  min(removed (1 - edge(n / many)), max(0, u - k)), shared like removed[s]; as far as something is left
    many        = u, but limit if few ratings are kept: u + (limit - u) (1 - edge(k / (turnover u)))

    afterwards    usual    moves to (L (1 - surge(k) far(y, k)) + held of the removed) / length with a memory of `memory_days`
                           (a plain average at first)
                  typical  moves to the shares of the stars in K = L shared like k[s] + held of the removed, by the share
                           K / (A + K), but once A has reached `young` no further than moves its average by that share of
                           shift + noise / sqrt(n);  A = A + K

    score       = weighted average of: regular weight W; provisional weight, at most first - conflict * W, where
                  conflict = edge(|p - average of W| / (shift + noise / sqrt(max(W, 1)))); and the share `released` of the
                  held weight H, which rises from 0 to 1 while H / min(evidence, the other weight) rises from 2 to 4

Theorem. If N ratings have the same stars, then m further ratings move the score by at most 4 m / min(N + m, 40): each rating
weighs at most 1, and all of them together weigh at least min(N + m, 40).

    python3 steady_score.py             check the model against steady-vectors.json
    python3 steady_score.py --write     write steady-vectors.json
    python3 steady_score.py --example   print the example of the documentation
    python3 steady_score.py --cost      print how many accounts move a score by 0.1 stars
    python3 steady_score.py --accounts  print what a few accounts achieve in a year
    python3 steady_score.py --trace RATINGS.csv
                                        print how far attacks move the scores of real posts
    python3 steady_score.py --inject RATINGS.csv NUMBER SECONDS [AFTER]
                                        print the posts with at least 100 ratings, and a brigade in each, for `evenkeel replay`
    python3 steady_score.py --search    search for histories in which few accounts move a score far
    python3 steady_score.py --search-year MINUTES [SEED]
                                        search for what ten accounts can do in a year by rating, changing and withdrawing
"""
import csv
import json
import math
import os
import random
import sys
import time

PARAMS = dict(factor=1.5, least=3.0, memory_days=28.0, shift=0.1, noise=2.0, spread=4.0, turnover=0.5, young=15.0, first=40.0,
              period_ratings=20, outweigh=2.0, evidence=150.0)
ROUNDING = 1e-9
STARS = range(1, 6)


def clamp(value, low, high):
    return max(low, min(high, value))


def edge(value):
    return clamp((value - 1) / 0.5, 0.0, 1.0)


def week(day):
    """Number of the calendar week, which begins on Monday; day 0 is Thursday, 1970-01-01."""
    return (day + 3) // 7


def stars_of(numbers):
    """Sum of the stars of ratings, given their numbers with 1 to 5 stars."""
    return sum(star * number for star, number in zip(STARS, numbers))


class Sum:
    """Weight and weighted stars of some ratings."""

    def __init__(self, weight=0.0, stars=0.0):
        self.weight, self.stars = weight, stars

    def plus(self, weights):
        return Sum(self.weight + sum(weights), self.stars + stars_of(weights))

    def average(self):
        return self.stars / self.weight if self.weight > ROUNDING else None


class Period:
    """Ratings and weights by stars in the days from `first` to `last`, counted since 1970-01-01 (UTC)."""

    def __init__(self, day):
        self.first = self.last = day
        self.numbers = [0] * 5
        self.regular = self.provisional = self.held = [0.0] * 5

    def length(self):
        return self.last - self.first + 1


class Steady:
    def __init__(self, **params):
        self.p = {**PARAMS, **params}
        self.days = {}                # number of ratings with 1 to 5 stars, by the day on which they were first given
        self.excluded = set()         # days that staff excluded
        self.reset()

    def reset(self):
        self.regular, self.provisional, self.held = Sum(), Sum(), Sum()    # sums of ended periods
        self.usual = 0.0              # weight of an average day
        self.typical = [0.0] * 5      # share of the ratings with 1 to 5 stars
        self.known = 0.0              # A: weight from which the shares were learned
        self.start = None             # day of the first rating
        self.open = None
        self.ended = []

    # ---- events

    def rate(self, day, star, count=1):
        """Count ratings that are given on `day`. A clock that runs backwards counts on the last day."""
        if self.open is not None:
            day = max(day, self.open.last)
        numbers = [count if star == other else 0 for other in STARS]
        self.days[day] = [a + b for a, b in zip(self.days.get(day, [0] * 5), numbers)]
        self.add(day, numbers)
        return day

    def change(self, day, old, new):
        """Change the stars of a rating that was first given on `day`."""
        self.days[day][old - 1] -= 1
        self.days[day][new - 1] += 1
        self.compute()

    def take_back(self, day, star):
        """Withdraw a rating that was first given on `day`."""
        self.days[day][star - 1] -= 1
        self.compute()

    def exclude(self, day, excluded=True):
        """Exclude the ratings of a day, or include them again. An excluded day ends the open period."""
        (self.excluded.add if excluded else self.excluded.discard)(day)
        self.compute()

    def compute(self):
        """Compute the state from the ratings."""
        self.reset()
        for day in sorted(day for day in self.days if sum(self.days[day]) > 0):
            if day not in self.excluded:
                self.add(day, self.days[day])
            elif self.open is not None:
                self.end()

    # ---- score

    def shown(self):
        """(score, weight); the score is None while nothing counts."""
        regular, provisional, held = self.with_open()
        q, released = self.parts(regular, provisional, held)
        total = Sum(regular.weight + q + released * held.weight, regular.stars + released * held.stars)
        if q > 0:
            total.stars += q * provisional.average()
        return total.average(), total.weight

    def parts(self, regular, provisional, held):
        """Counted provisional weight, and counted share of the held weight."""
        p, q, released = self.p, 0.0, 0.0
        if provisional.weight > ROUNDING:
            conflict = 1.0
            if regular.weight > ROUNDING:
                conflict = edge(abs(provisional.average() - regular.average()) / self.tolerance(max(1.0, regular.weight)))
            q = clamp(p['first'] - conflict * regular.weight, 0.0, provisional.weight)
        if held.weight > ROUNDING:
            other = min(p['evidence'], regular.weight + q)
            released = clamp(held.weight / other / p['outweigh'] - 1, 0.0, 1.0) if other > ROUNDING else 1.0
        return q, released

    def shares(self, period):
        """Weight of one rating of a period, by its stars."""
        regular, provisional, held = self.with_open()
        q, released = self.parts(regular, provisional, held)
        counted = q / provisional.weight if q > 0 else 0.0
        weights = zip(period.numbers, period.regular, period.provisional, period.held)
        return [(r + counted * e + released * h) / n if n else 0.0 for n, r, e, h in weights]

    # ---- periods

    def add(self, day, numbers):
        if self.open is not None and self.ends_before(day):
            self.end()
        if self.open is None:
            silent = day - self.ended[-1].last - 1 if self.ended else 0
            self.usual *= math.exp(-silent / self.p['memory_days'])
            self.open = Period(day)
            self.start = day if self.start is None else self.start
        self.open.last = day
        self.open.numbers = [a + b for a, b in zip(self.open.numbers, numbers)]

    def ends_before(self, day):
        if day <= self.open.last:
            return False
        is_full = sum(self.open.numbers) >= self.p['period_ratings']
        return is_full or self.known < self.p['young'] or week(day) != week(self.open.first)

    def tolerance(self, count):
        return self.p['shift'] + self.p['noise'] / math.sqrt(count)

    def far(self, average, count):
        if self.known <= ROUNDING:
            return 0.0
        extra = clamp(self.p['first'] - self.known, 0.0, self.provisional.weight)
        stars = self.known * stars_of(self.typical) + (extra * self.provisional.average() if extra > ROUNDING else 0.0)
        distance = abs(average - stars / (self.known + extra))
        return edge(distance / self.tolerance(count)) * min(1.0, self.known / self.p['young'])

    def removed(self, numbers, usual):
        """Numbers of excess ratings by stars, compared with the usual numbers."""
        count = sum(numbers)
        far = self.far(stars_of(numbers) / count, count)
        if far == 0.0:
            return [0.0] * 5
        of_stars = [usual * share for share in self.typical]
        most = [max(1.0, number + self.p['spread'] * math.sqrt(number)) for number in of_stars]
        excess = [far * edge(number / limit) for number, limit in zip(numbers, most)]
        share = sum((1 - part) * share for part, share in zip(excess, self.typical))
        others = sum((1 - part) * number for part, number in zip(excess, numbers))
        normal = min(usual, others / share) if share > ROUNDING else usual
        return [part * max(0.0, number - normal * share) for part, number, share in zip(excess, numbers, self.typical)]

    def evaluate(self):
        """Set the weights of the open period. Returns the weight, and the weights by stars, that the model learns."""
        p, period = self.p, self.open
        count, usual = sum(period.numbers), self.usual * period.length()
        limit = max(p['least'], p['factor'] * usual)
        removed = self.removed(period.numbers, usual)
        kept = [number - part for number, part in zip(period.numbers, removed)]
        k = sum(kept)
        part = min(k, limit)
        far, surge, shares = 0.0, edge(k / limit), [0.0] * 5
        if k > ROUNDING:
            far, shares = self.far(stars_of(kept) / k, k), [number / k for number in kept]
        held_removed, removed_shares = 0.0, [0.0] * 5
        if count - k > ROUNDING:
            if usual > ROUNDING:
                many = usual + (limit - usual) * (1 - edge(k / (p['turnover'] * usual)))
                held_removed = min((count - k) * (1 - edge(count / many)), max(0.0, usual - k))
            removed_shares = [number / (count - k) for number in removed]
        period.regular = [part * (1 - far) * share for share in shares]
        rest = [number - weight for number, weight in zip(period.numbers, period.regular)]
        room = max(0.0, p['first'] - self.regular.weight - self.provisional.weight)
        provisional = min(1.0, room / sum(rest)) if sum(rest) > ROUNDING else 0.0
        period.provisional = [provisional * number for number in rest]
        held = [part * far * (1 - surge) * share + held_removed * other for share, other in zip(shares, removed_shares)]
        period.held = [min(weight, (1 - provisional) * number) for weight, number in zip(held, rest)]
        learned = [part * share + held_removed * other for share, other in zip(shares, removed_shares)]
        return part * (1 - surge * far) + held_removed, learned

    def with_open(self):
        """Sums of the weights, including the open period."""
        period = self.open
        if period is None:
            return self.regular, self.provisional, self.held
        self.evaluate()
        return self.regular.plus(period.regular), self.provisional.plus(period.provisional), self.held.plus(period.held)

    def learn(self, weights, count):
        p, weight = self.p, sum(weights)
        if weight <= ROUNDING:
            return
        shares = [number / weight for number in weights]
        free = clamp(p['young'] - self.known, 0.0, weight)
        if free > 0:
            step = free / (self.known + free)
            self.typical = [old + step * (new - old) for old, new in zip(self.typical, shares)]
        if weight > free:
            distance = abs(stars_of(shares) - stars_of(self.typical))
            step = (weight - free) / (self.known + weight) * min(1.0, self.tolerance(count) / max(distance, ROUNDING))
            self.typical = [old + step * (new - old) for old, new in zip(self.typical, shares)]
        self.known += weight

    def end(self):
        """End the open period."""
        period, (usual, weights) = self.open, self.evaluate()
        self.regular, self.provisional, self.held = self.with_open()
        self.learn(weights, sum(period.numbers))
        length, age = period.length(), period.last - self.start + 1
        step = max(1 - math.exp(-length / self.p['memory_days']), length / age)
        self.usual += step * (usual / length - self.usual)
        self.ended.append(period)
        self.open = None


# ---- vectors

def apply(model, event):
    day, repeat = event['day'], event.get('repeat', 1)
    if event['op'] == 'rate':
        model.rate(day, event['star'], repeat)
    elif event['op'] == 'change':
        model.change(day, event['star'], event['to'])
    elif event['op'] == 'take_back':
        model.take_back(day, event['star'])
    else:
        model.exclude(day, event['excluded'])


def run(vector):
    model, out = Steady(**vector.get('params', {})), []
    for event in vector['events']:
        apply(model, event)
        score, weight = model.shown()
        shares = model.shares(model.open) if model.open else [0.0] * 5
        out.append({'score': score, 'weight': weight, 'usual': model.usual, 'typical': stars_of(model.typical), 'shares': shares})
    return out


DAY = 20_700    # a Friday


def rate(day, star, repeat=1):
    return {'op': 'rate', 'day': DAY + day, 'star': star, **({'repeat': repeat} if repeat > 1 else {})}


def change(day, star, to):
    return {'op': 'change', 'day': DAY + day, 'star': star, 'to': to}


def take_back(day, star):
    return {'op': 'take_back', 'day': DAY + day, 'star': star}


def exclude(day, excluded=True):
    return {'op': 'exclude', 'day': DAY + day, 'excluded': excluded}


def steady(days, a_day=2, stars=(4, 5), begin=0):
    return [rate(begin + day, stars[day % len(stars)], a_day) for day in range(days)]


def random_events(seed, count):
    r, day, events, given, excluded = random.Random(seed), 0, [], [], set()
    for _ in range(count):
        what = r.random()
        if what < 0.72 or not given:
            day += r.choice((0, 0, 1, 1, 2, 9))
            events.append(rate(day, r.choice((1, 3, 4, 5, 5)), r.choice((1, 1, 2, 5, 30))))
            given += [(day, events[-1]['star'])] * events[-1].get('repeat', 1)
        elif what < 0.8:
            at, star = given.pop(r.randrange(len(given)))
            given.append((at, r.choice((1, 2, 5))))
            events.append(change(at, star, given[-1][1]))
        elif what < 0.9:
            events.append(take_back(*given.pop(r.randrange(len(given)))))
        else:
            at = r.choice(given)[0]
            if at == day:
                continue
            excluded ^= {at}
            events.append(exclude(at, at in excluded))
    return events


def vectors():
    all_fives = rate(0, 5, 100)
    mixed = [rate(day, USUAL[day * 3 % 10], 3) for day in range(40)]
    made = [
        ('first_ratings', [rate(0, 5), rate(0, 4), rate(0, 3), rate(1, 1)], 'the first 40 ratings count whole'),
        ('forty_and_one', [rate(0, 5, 40), rate(0, 1)], 'one of 41 moves the score by 0.1'),
        ('launch_then_one_a_day', [all_fives] + [rate(day, 1) for day in range(1, 11)], 'ten accounts after a launch'),
        ('launch_then_five_a_day', [all_fives] + [rate(day, 1, 5) for day in range(1, 11)], ''),
        ('surge_in_a_day', steady(30) + [rate(30, 1, 2000), rate(31, 4)], 'more than usual and of another opinion: dropped'),
        ('surge_of_the_usual_opinion', steady(30) + [rate(30, 4, 1000), rate(30, 5, 1000), rate(31, 4)], 'more than usual: limited'),
        ('surge_beside_the_usual', mixed + [rate(41, 4, 2), rate(41, 5, 2), rate(41, 1, 300), rate(42, 3)],
         'the usual number of one-star ratings counts, and all others'),
        ('slow_drip', steady(40) + [event for day in range(40, 60) for event in (rate(day, 4), rate(day, 1))], ''),
        ('lasting_change', steady(15, 8) + steady(60, 8, (1, 2), 15), 'held back, then released'),
        ('change_on_the_same_day', [rate(0, 5), change(0, 5, 2)], ''),
        ('change_stays_on_its_day', steady(30) + [change(3, 5, 1), rate(44, 2), change(44, 2, 4)], ''),
        ('exclude_and_include', steady(30) + [exclude(20), exclude(20), exclude(20, False), exclude(9)], ''),
        ('withdrawn_from_an_excluded_day', steady(30) + [exclude(20), take_back(20, 4), exclude(20, False)], ''),
        ('withdrawn_surge_leaves_nothing', steady(30) + [rate(30, 1, 30)] + [take_back(30, 1)] * 30 + [rate(44, 4)], ''),
        ('all_withdrawn', [rate(0, 4), rate(3, 2), take_back(0, 4), take_back(3, 2), rate(9, 5)], ''),
        ('clock_runs_backwards', [rate(5, 4), rate(6, 5), rate(2, 1), rate(9, 2)], ''),
        ('weeks', [rate(day, 4 + day % 2) for day in range(0, 60, 2)], 'periods end with their week'),
        ('birth_surge', [rate(0, 4, 4), rate(1, 1, 2000)] + steady(60, 3, (4, 5, 3), 2), ''),
    ]
    result = [{'name': name, 'events': events, **({'note': note} if note else {})} for name, events, note in made]
    other = dict(factor=2.0, least=1.0, memory_days=7.0, shift=0.3, noise=1.0, spread=1.0, turnover=0.8, young=5.0, first=10.0,
                 period_ratings=5, outweigh=1.0, evidence=20.0)
    result.append({'name': 'other_parameters', 'params': other, 'events': steady(20) + [rate(20, 1, 30)] + steady(20, 3, (1, 2), 21)})
    for seed in range(6):
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
    """Unweighted average, for comparison with the steady score."""

    def __init__(self):
        self.all = Sum()

    def rate(self, day, star):
        self.all = Sum(self.all.weight + 1, self.all.stars + star)

    def shown(self):
        return self.all.average(), self.all.weight


def cost(score, before, a_day, attackers, attack_days):
    """Number of accounts, each with one star, that lower the score by 0.1 for a week; None if no number does."""
    quiet, attacked, days, below = score(), score(), honest(a_day), 0
    for day in range(before + 365 + 7):
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


def print_example():
    """One day of a brigade against a post with ten ratings a day."""
    score, average, days = Steady(), Average(), honest(10)
    for day in range(61):
        for star in next(days) + [1] * (500 if day == 60 else 0):
            score.rate(day, star)
            average.rate(day, star)
        if day >= 59:
            print(f'day {day + 1}: steady score {score.shown()[0]:.2f}, average {average.shown()[0]:.2f}')
    counted = [round(weight) for weight in score.open.regular]
    print(f'ratings of the last day with 1 to 5 stars: {score.open.numbers}, of which count: {counted}')


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


# ---- attacks on real ratings

ATTACKS = (('2,000 in 10 minutes', 1, 2000), ('200,000 in 2 days', 2, 100_000), ('2,000 in 7 days', 7, 286), ('30 a day for 60 days', 60, 30),
           ('ten a day for 60 days', 60, 10), ('three a day for 60 days', 60, 3), ('one a day for 60 days', 60, 1))


def with_ratings(days, begin, attack_days, a_day):
    result = {day: list(numbers) for day, numbers in days.items()}
    for day in range(begin, begin + attack_days):
        result.setdefault(day, [0] * 5)[0] += a_day
    return result


def scores_of(days):
    """(average, steady score) of ratings by day."""
    model = Steady()
    model.days = days
    model.compute()
    numbers = [sum(column) for column in zip(*days.values())]
    return stars_of(numbers) / sum(numbers), model.shown()[0]


def print_trace(path):
    """Print how far one-star ratings move the scores of posts in a CSV file with the columns post, time, rating."""
    posts = {}
    for row in csv.DictReader(open(path)):
        day, star = int(float(row['time'])) // 86_400, int(row['rating'])
        posts.setdefault(row['post'], []).append((day, star))
    posts = [sorted(ratings) for ratings in posts.values() if len(ratings) >= 100]
    moved, distances = {name: [] for name, _, _ in ATTACKS}, []
    for ratings in posts:
        days = {}
        for day, star in ratings:
            days.setdefault(day, [0] * 5)[star - 1] += 1
        begin, fourth = ratings[int(0.7 * len(ratings)) - 1][0], ratings[3][0]
        for name, attack_days, a_day in ATTACKS:
            before = {day: numbers for day, numbers in days.items() if day < begin + attack_days}
            attacked = scores_of(with_ratings(before, begin, attack_days, a_day))
            moved[name].append([abs(quiet - score) for quiet, score in zip(scores_of(before), attacked)])
        attacked = scores_of(with_ratings(days, fourth, 1, 2000))
        moved.setdefault('2,000 after the fourth rating of the post', []).append(
            [abs(quiet - score) for quiet, score in zip(scores_of(days), attacked)])
        average, steady = scores_of(days)
        distances.append(abs(average - steady))
    print(f'{len(posts)} posts')
    for name, pairs in moved.items():
        average, steady = (sum(values) / len(posts) for values in zip(*pairs))
        print(f'| {name} | {average:.2f} · {steady:.2f} |')
    print(f'| none: distance of the steady score from the average | {sum(distances) / len(posts):.2f} |')


def print_with_brigade(path, number, seconds, after=None):
    """Print a CSV file in which every post gets one-star ratings at regular intervals, after 70 % of its ratings."""
    posts = {}
    for row in csv.DictReader(open(path)):
        posts.setdefault(row['post'], []).append((float(row['time']), row['rating']))
    print('post,time,rating,kind')
    for post, ratings in posts.items():
        if len(ratings) < 100:
            continue
        ratings.sort()
        begin = ratings[int(after or 0.7 * len(ratings)) - 1][0]
        for time_s, rating in ratings:
            print(f'{post},{time_s},{rating},honest')
        for index in range(int(number)):
            print(f'{post},{begin + float(seconds) * index / int(number)},1,brigade')


# ---- a few accounts in a year

def weights_of_honest(model, ratings):
    """Share of honest ratings, as (day, star) pairs, that counts in the score."""
    model.compute()
    periods = model.ended + [model.open]
    counted = 0.0
    for period in periods:
        shares = model.shares(period)
        counted += sum(shares[star - 1] for day, star in ratings if period.first <= day <= period.last)
    return counted / len(ratings)


HABITS = ('change every week', 'withdraw and rate again every week', 'withdraw and rate again every day', 'new accounts every week')


def year(accounts, a_week, habit, seed):
    """(share of honest ratings that counts, mean difference from the untouched post in stars) after a year of attack.

    Honest ratings arrive at random. From the first day of the attack on, their average is 4.2 stars instead of 4.0."""
    r = random.Random(seed)
    better = (5, 5, 4, 5, 3, 5, 4, 5, 5, 1)
    attacked, quiet, ours, honest_ratings, differences = Steady(), Steady(), [], [], []
    for day in range(DAY - 182, DAY + 364):
        number, product = 0, r.random()
        while product > math.exp(-a_week / 7):    # a Poisson number
            number, product = number + 1, product * r.random()
        for _ in range(number):
            star = r.choice(better if day >= DAY else USUAL)
            attacked.rate(day, star)
            quiet.rate(day, star)
            if day >= DAY:
                honest_ratings.append((day, star))
        passed = day - DAY
        if passed < 0:
            continue
        if habit == HABITS[0] and passed % 7 == 0:
            stars = 1 + passed // 7 % 2
            for at, star in ours:
                attacked.change(at, star, stars)
            ours = [(at, stars) for at, _ in ours] or [(attacked.rate(day, stars), stars) for _ in range(accounts)]
        elif passed % (1 if habit == HABITS[2] else 7) == 0:
            if habit != HABITS[3]:
                for at, star in ours:
                    attacked.take_back(at, star)
            ours = [(attacked.rate(day, 1), 1) for _ in range(accounts)]
        if passed % 7 == 6:
            differences.append(abs(attacked.shown()[0] - quiet.shown()[0]))
    return weights_of_honest(attacked, honest_ratings), sum(differences) / len(differences)


def print_accounts():
    paces = (1, 5, 10, 50)
    print('| attack | attacking accounts | ' + ' | '.join(f'honest ratings: {pace} a week' for pace in paces) + ' |\n|---|---|---|---|---|---|')
    for habit, numbers in (('none', (0,)), *((habit, (1, 3, 4, 10)) for habit in HABITS)):
        for accounts in numbers:
            cells = []
            for pace in paces:
                results = [year(accounts, pace, habit, seed) for seed in range(3)]
                share, difference = (sum(values) / len(results) for values in zip(*results))
                cells.append(f'{share:.0%} · {difference:.2f}')
            print(f'| {habit} | {accounts or "–"} | ' + ' | '.join(cells) + ' |', flush=True)


# ---- search for large moves

def score_of(ratings):
    """Score of (day, star) pairs. A rating on day 0 is added, so that all posts have the same age."""
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
    """Largest move of the score by `few` accounts that a hill-climbing search over all ratings finds."""
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


class Plan:
    """Actions of ten accounts in a year, as (day, stars) pairs; 0 stars withdraw a rating, others add or change it."""

    def __init__(self, accounts):
        self.accounts = accounts

    def changed(self, r):
        accounts = [list(steps) for steps in self.accounts]
        for _ in range(r.choice((1, 1, 2, 4))):
            steps, day = r.choice(accounts), r.randrange(364)
            if steps and r.random() < 0.5:
                steps.pop(r.randrange(len(steps)))
            if r.random() < 0.8:
                steps.append((day, r.choice((0, 1, 1, 2, 3, 5))))
                steps.sort()
        if r.random() < 0.3:    # all accounts act alike
            accounts = [list(r.choice(accounts)) for _ in accounts]
        return Plan(accounts)

    def ratings(self, until):
        """(day first given, stars) of the ratings that exist at the end of the day `until`."""
        result = []
        for steps in self.accounts:
            rating = None
            for day, star in steps:
                if day <= until:
                    rating = None if star == 0 else (rating[0] if rating else day, star)
            result += [rating] if rating else []
        return result


def outcome(plan, honest_ratings, quiet):
    """Mean weekly difference from the post without the accounts, and final share of honest ratings that counts."""
    differences = []
    for end, score in quiet:
        model = Steady()
        for at, star in honest_ratings + plan.ratings(end):
            if at <= end:
                numbers = model.days.setdefault(at + 350, [0] * 5)
                numbers[star - 1] += 1
        model.compute()
        differences.append(abs(model.shown()[0] - score))
    later = [(at + 350, star) for at, star in honest_ratings if at >= 0]
    return sum(differences) / len(differences), 1 - weights_of_honest(model, later)


def print_search_year(minutes, seed):
    """Search for plans of ten accounts that move the score most, or exclude most of ten honest ratings a week."""
    r, days = random.Random(seed), honest(10 / 7)
    honest_ratings = [(day, star) for day in range(-182, 364) for star in next(days)]
    nobody = Plan([])
    ends = range(6, 364, 14)
    quiet = []
    for end in ends:
        model = Steady()
        for day, star in honest_ratings:
            if day <= end:
                model.rate(day + 350, star)
        quiet.append((end, model.shown()[0]))
    silence = outcome(nobody, honest_ratings, quiet)[1]
    goals = ('mean difference in stars', 'share of honest ratings that does not count')
    weekly = Plan([[(day, star) for week in range(0, 364, 7) for day, star in ((week, 0), (week, 1))]] * 10)
    for goal, name in enumerate(goals):
        starts = [weekly, Plan([[(0, 1)]] * 10), Plan([[(14 * number, 1)] for number in range(10)])]
        best = max(((outcome(plan, honest_ratings, quiet)[goal], plan) for plan in starts), key=lambda pair: pair[0])
        first, tried, stop = best[0], 0, time.monotonic() + 30 * minutes
        while time.monotonic() < stop:
            plan = best[1].changed(r)
            found = outcome(plan, honest_ratings, quiet)[goal]
            tried += 1
            if found >= best[0]:
                best = found, plan
        unattacked = silence if goal else 0.0
        print(f'{name}: {best[0]:.3f} after {tried} plans; best simple plan {first:.3f}; without an attack {unattacked:.3f}')
        for steps in sorted(best[1].accounts):
            print('   ', steps, flush=True)


if __name__ == '__main__':
    if '--example' in sys.argv:
        sys.exit(print_example())
    if '--cost' in sys.argv:
        sys.exit(print_cost())
    if '--accounts' in sys.argv:
        sys.exit(print_accounts())
    if '--search-year' in sys.argv:
        numbers = [float(argument) for argument in sys.argv[2:]]
        sys.exit(print_search_year(numbers[0], int(numbers[1]) if len(numbers) > 1 else 1))
    if '--trace' in sys.argv:
        sys.exit(print_trace(sys.argv[2]))
    if '--inject' in sys.argv:
        sys.exit(print_with_brigade(*sys.argv[2:]))
    if '--search' in sys.argv:
        sys.exit(print_search())
    arguments = [argument for argument in sys.argv[1:] if argument != '--write']
    path = arguments[0] if arguments else os.path.join(os.path.dirname(os.path.abspath(__file__)), 'steady-vectors.json')
    if '--write' in sys.argv:
        note = ('events happen in order; after each, the score, its weight, the usual weight of a day, the average of the typical '
                'stars, and the weight of a rating in the open period by its stars, within 1e-9')
        lines = ',\n  '.join(json.dumps(vector, separators=(',', ':')) for vector in vectors())
        with open(path, 'w') as file:
            file.write('{\n "note": %s,\n "vectors": [\n  %s\n ]\n}\n' % (json.dumps(note), lines))
    data = json.load(open(path))

    def agree(got, want):
        if isinstance(want, list):
            return all(agree(one, other) for one, other in zip(got, want, strict=True))
        return got == want if None in (got, want) else abs(got - want) <= 1e-9

    for vector in data['vectors']:
        for got, want in zip(run(vector), vector['expected'], strict=True):
            assert agree(list(got.values()), list(want.values())), (vector['name'], got, want)
    print(len(data['vectors']), 'vectors agree')
