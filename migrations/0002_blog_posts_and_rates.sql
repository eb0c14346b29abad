-- Posts, their ratings, and what the limiters remember.
--
-- A post carries five counters, one for each star. Everything that is shown of its ratings follows
-- from them, so a page costs the same with ten ratings as with ten million, and nothing can drift
-- apart: the generated columns are computed by the database in the same row update.

create table blog_posts (
    id bigint generated always as identity primary key,
    -- Accounts with posts or ratings are not simply deleted: counters would no longer match.
    author_id bigint not null references users (id) on delete restrict,
    title text not null,
    content text not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    stars_1 bigint not null default 0,
    stars_2 bigint not null default 0,
    stars_3 bigint not null default 0,
    stars_4 bigint not null default 0,
    stars_5 bigint not null default 0,
    rating_count bigint not null generated always as (stars_1 + stars_2 + stars_3 + stars_4 + stars_5) stored,
    rating_sum bigint not null
        generated always as (stars_1 + 2 * stars_2 + 3 * stars_3 + 4 * stars_4 + 5 * stars_5) stored,
    average_rating double precision not null generated always as (
        coalesce(
            (stars_1 + 2 * stars_2 + 3 * stars_3 + 4 * stars_4 + 5 * stars_5)::double precision
                / nullif(stars_1 + stars_2 + stars_3 + stars_4 + stars_5, 0),
            0
        )
    ) stored,
    -- The average as if ten readers had given three stars first: a post needs evidence to rise.
    top_score double precision not null generated always as (
        (30 + stars_1 + 2 * stars_2 + 3 * stars_3 + 4 * stars_4 + 5 * stars_5)::double precision
            / (10 + stars_1 + stars_2 + stars_3 + stars_4 + stars_5)
    ) stored,
    constraint title_length check (char_length(title) between 1 and 200),
    constraint content_length check (octet_length(content) between 1 and 262144),
    constraint stars_not_negative check (least(stars_1, stars_2, stars_3, stars_4, stars_5) >= 0)
);

-- The orders that the lists are paged through.
create index blog_posts_new on blog_posts (created_at desc, id desc);
create index blog_posts_top on blog_posts (top_score desc, id desc);
create index blog_posts_of_author on blog_posts (author_id, created_at desc, id desc);

create table rates (
    id bigint generated always as identity primary key,
    user_id bigint not null references users (id) on delete restrict,
    blog_id bigint not null references blog_posts (id) on delete cascade,
    rating smallint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    constraint unique_user_blog_rating unique (user_id, blog_id),
    constraint rating_in_range check (rating between 1 and 5)
);

-- For deleting a post with its ratings.
create index rates_of_blog on rates (blog_id);

create table limiter_states (
    limiter text not null,
    -- What is limited, for example `post:42`.
    key text not null,
    state jsonb not null,
    updated_at timestamptz not null,
    -- From here on the state is as good as none and may be swept. Rounded up to a whole hour, as an
    -- indexed column that changes with every rating would make every update rewrite the index.
    expires_at timestamptz not null,
    constraint limiter_states_pkey primary key (limiter, key)
) with (fillfactor = 50);

create index limiter_states_by_expiry on limiter_states (expires_at);
