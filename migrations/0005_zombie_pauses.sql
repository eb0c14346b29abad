-- Rating attempts that only ever fail, by reader and post, and the pauses that follow after thousands of them.
--
-- A row is written by whoever holds the lock of its post, and only while it is not paused; unpausing touches only
-- rows that are, in the order of their posts. So the two never wait for each other.

create table zombie_pauses (
    user_id bigint not null references users (id) on delete cascade,
    blog_id bigint not null references blog_posts (id) on delete cascade,
    -- When the bucket of failures will be full again, in nanoseconds since 1970; none: it is.
    tat_ns bigint,
    -- The last pause, and its end; without an end it lasts.
    paused_at timestamptz,
    unpaused_at timestamptz,
    constraint zombie_pauses_pkey primary key (user_id, blog_id),
    constraint pause_before_unpause check (unpaused_at is null or paused_at <= unpaused_at)
);

-- For deleting a post with them.
create index zombie_pauses_of_blog on zombie_pauses (blog_id);
