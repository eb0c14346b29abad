"""Prepares BitPin-Blog for the benchmark of peers, or checks its averages. Usage: bitpin_blog.py USERS POSTS | check"""
import sys
import time

import django

django.setup()

from blog_posts.models import BlogPost, BlogRatingEma, BlogRatingLeakyBucket  # noqa: E402
from django.contrib.auth import BACKEND_SESSION_KEY, HASH_SESSION_KEY, SESSION_KEY  # noqa: E402
from django.contrib.auth.models import User  # noqa: E402
from django.contrib.sessions.backends.db import SessionStore  # noqa: E402
from django.core.management import call_command  # noqa: E402
from django.db.models import Avg  # noqa: E402


def prepare(users, posts):
    """Creates users with sessions, and posts. Prints the session keys."""
    call_command("migrate", verbosity=0)
    people = User.objects.bulk_create(User(username=f"reader{n}", password="!") for n in range(users))
    for n in range(posts):
        post = BlogPost.objects.create(title=f"Post number {n}", content="some words " * 250, author=people[0])
        BlogRatingLeakyBucket.objects.create(blog_post=post, last_record=time.time())
        BlogRatingEma.objects.create(blog_post=post, last_record=time.time())
    for user in people:
        session = SessionStore()
        session[SESSION_KEY] = user.pk
        session[BACKEND_SESSION_KEY] = "django.contrib.auth.backends.ModelBackend"
        session[HASH_SESSION_KEY] = user.get_session_auth_hash()
        session.save()
        print(session.session_key)


def check():
    """Prints the largest difference between a stored average and the average of the ratings."""
    posts = BlogPost.objects.annotate(average=Avg("ratings__rating")).filter(average__isnull=False)
    print(max((abs(post.average_rating - post.average) for post in posts), default=0))


check() if sys.argv[1] == "check" else prepare(int(sys.argv[1]), int(sys.argv[2]))
