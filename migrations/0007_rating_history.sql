-- What became of the ratings of a post, hour by hour: for showing its score's history, and that there is unusual
-- activity. Written with the ratings, one row for each post and hour and batch.

create table rating_history (
    blog_id bigint not null references blog_posts (id) on delete cascade,
    -- Its beginning.
    hour timestamptz not null,
    -- New and changed ratings that were counted, and those that the post's gate refused.
    admitted bigint not null default 0,
    refused bigint not null default 0,
    -- The post's own counters at the end of the hour.
    rating_count bigint not null,
    rating_sum bigint not null,
    constraint rating_history_pkey primary key (blog_id, hour),
    constraint rating_history_not_negative check (least(admitted, refused, rating_count, rating_sum) >= 0)
);

-- What is known of before is filled in step by step (`src/database/migrations.rs`).
