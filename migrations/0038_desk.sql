-- For the desk (`src/desk/`): its lists, and its front page.

-- Words in the details of the log.
create index audit_log_words on audit_log using gin ((details::text) gin_trgm_ops);

-- What limiters remember, in an order that is the same in every database.
create index limiter_states_by_key on limiter_states (limiter, key collate "C");

-- Posts that staff unpublished.
create index blog_posts_unpublished on blog_posts (updated_at desc, id desc) where unpublished_version is not null;

-- Sessions and paused pairs, the latest first.
create index sessions_new on sessions (created_at desc);
create index zombie_pauses_new on zombie_pauses (paused_at desc, user_id desc) where paused_at is not null and unpaused_at is null;

-- What went on in each hour, added up by all instances, for the front page.
create table site_hours (
    -- Its beginning.
    hour timestamptz primary key,
    -- People and networks that looked at pages. Each instance counts for itself, so that one may be in it once for each.
    visitors bigint not null default 0,
    pages bigint not null default 0,
    -- Ratings that were counted, and those that a post's gate refused.
    ratings bigint not null default 0,
    refused bigint not null default 0,
    -- Requests that were told to come later, and those that failed.
    limited bigint not null default 0,
    failures bigint not null default 0
) with (fillfactor = 50);
