"""Uses a site with the Python client that openapi-python-client generates from the description of the API."""

import sys
import time
from urllib.parse import parse_qs, urlsplit

from evenkeel_client import AuthenticatedClient, Client
from evenkeel_client.api.posts import create_a_post, list_posts
from evenkeel_client.api.ratings import list_your_ratings, rate_a_post, read_rating_statistics
from evenkeel_client.api.users import create_an_account, create_an_api_token, read_your_account
from evenkeel_client.models import (
    PostInput,
    Registration,
    TokenInput,
    TokenInputScopesItem as Scope,
    CreatedToken,
    OwnAccount,
    Post,
    Problem,
    NewRating,
    Rating,
    User,
)
from evenkeel_client.types import UNSET

SITE = sys.argv[1]
PASSWORD = "four grey herons wait"
JSON = {"Accept": "application/json"}


def register(name: str) -> AuthenticatedClient:
    """Creates an account and an API token, and returns a client that uses the token."""
    browser = Client(base_url=SITE, headers=JSON)
    account = create_an_account.sync(
        client=browser,
        body=Registration(username=name, email=f"{name}@example.com", password=PASSWORD),
    )
    assert isinstance(account, User) and account.username == name, account
    token = create_an_api_token.sync(
        client=browser,
        body=TokenInput(name="client.py", scopes=[Scope.WRITE, Scope.RATE, Scope.ACCOUNT], current_password=PASSWORD),
    )
    assert isinstance(token, CreatedToken), token
    return AuthenticatedClient(base_url=SITE, headers=JSON, token=token.token)


def cursor_of(path: str | None):
    return parse_qs(urlsplit(path).query)["cursor"][0] if path else None


author, reader, other = register("pyauthor"), register("pyreader"), register("pyother")
own = read_your_account.sync(client=author)
assert isinstance(own, OwnAccount) and own.email == "pyauthor@example.com", own

ids = set()
for number in range(25):
    post = create_a_post.sync(client=author, body=PostInput(title=f"Post {number}", content="They **stand**."))
    assert isinstance(post, Post) and post.status == "published", post
    ids.add(post.id)

# The list has 20 posts on a page.
found, cursor, pages = [], UNSET, 0
while cursor is not None:
    page = list_posts.sync(client=reader, author="pyauthor", cursor=cursor)
    found += [post.id for post in page.results]
    cursor, pages = cursor_of(page.next_), pages + 1
assert set(found) == ids and len(found) == 25 and pages == 2, (found, pages)

refusals = 0
for rater in [reader, other]:
    while True:
        response = rate_a_post.sync_detailed(client=rater, body=NewRating(blog=max(ids), rating=4))
        if response.status_code != 429:
            break
        assert isinstance(response.parsed, Problem) and response.parsed.code == "post_rate_limited", response
        refusals += 1
        time.sleep(int(response.headers["Retry-After"]))
    assert isinstance(response.parsed, Rating) and response.parsed.rating == 4, response
assert refusals >= 1

again = rate_a_post.sync(client=reader, body=NewRating(blog=max(ids), rating=5))
assert isinstance(again, Problem) and again.code == "already_rated", again
assert read_rating_statistics.sync(id=max(ids), client=reader).total_ratings == 2
assert [rating.blog for rating in list_your_ratings.sync(client=reader).results] == [max(ids)]
print("ok")
