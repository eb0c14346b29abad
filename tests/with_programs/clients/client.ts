// Uses a site with the types that openapi-typescript generates from the description of the API.
import assert from "node:assert/strict";
import { setTimeout } from "node:timers/promises";

import createClient from "openapi-fetch";

import type { paths } from "./schema.js";

const baseUrl = process.argv[2];
const password = "four grey herons wait";
const json = { Accept: "application/json" };

/** Creates an account and an API token, and returns a client that uses the token. */
async function register(username: string) {
  const visitor = createClient<paths>({ baseUrl, headers: json });
  const account = await visitor.POST("/users/register/", {
    body: { username, email: `${username}@example.com`, password },
  });
  assert.equal(account.data?.username, username);
  const [session] = account.response.headers.getSetCookie()[0].split(";");
  const token = await visitor.POST("/users/tokens/", {
    body: { name: "client.ts", scopes: ["write", "rate"], current_password: password },
    headers: { Cookie: session },
  });
  assert.equal(token.error, undefined);
  return createClient<paths>({ baseUrl, headers: { ...json, Authorization: `Bearer ${token.data?.token}` } });
}

const author = await register("tsauthor");
const readers = [await register("tsreader"), await register("tsother")];

const ids: number[] = [];
for (let number = 0; number < 25; number++) {
  const { data, error } = await author.POST("/blogs/create/", {
    body: { title: `Post ${number}`, content: "They **stand**.", tags: ["birds"] },
  });
  assert.equal(data?.status, "published", error?.detail);
  ids.push(data.id);
}

// The list has 20 posts on a page.
const found: number[] = [];
let cursor: string | undefined;
let pages = 0;
do {
  const { data } = await readers[0].GET("/blogs/", { params: { query: { author: "tsauthor", cursor } } });
  assert(data);
  found.push(...data.results.map((post) => post.id));
  cursor = data.next ? new URL(data.next, baseUrl).searchParams.get("cursor") ?? undefined : undefined;
  pages++;
} while (cursor);
assert.deepEqual(found.toSorted(), ids.toSorted());
assert.equal(pages, 2);

const blog = Math.max(...ids);
let refusals = 0;
for (const reader of readers) {
  for (;;) {
    const { data, error, response } = await reader.POST("/rate/", { body: { blog, rating: 4 } });
    if (response.status !== 429) {
      assert.equal(data?.rating, 4);
      break;
    }
    assert.equal(error?.code, "post_rate_limited");
    refusals++;
    await setTimeout(Number(response.headers.get("Retry-After")) * 1000);
  }
}
assert(refusals >= 1);

const again = await readers[0].POST("/rate/", { body: { blog, rating: 5 } });
assert.equal(again.error?.code, "already_rated");
const stats = await readers[0].GET("/rate/get_blog_rating/{id}/", { params: { path: { id: blog } } });
assert.equal(stats.data?.total_ratings, 2);
console.log("ok");
