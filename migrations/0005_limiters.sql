-- Rate limiter states, limiter overrides and custom limits. Tables: `limiter_states`, `limiter_overrides`, `custom_limits`,
-- `warning_levels`.

-- Table `limiter_states`: state of each rate limiter per key.
create table limiter_states (
    limiter text not null,
    -- `limiter_states.key`: subject of the limit. For example, `post:42:ema` limits the ratings of post 42, and `edit:7:42` limits
    -- changes by user 7 of the rating of post 42. Collation `C`: the list in the admin area has the same order in every database,
    -- and needs no index besides the primary key. A second index that begins with `limiter` can be chosen for lookups while the
    -- table has no statistics, and reads all rows of the limiter.
    key text collate "C" not null,
    state jsonb not null,
    updated_at timestamptz not null,
    -- `limiter_states.expires_at`: time from which the row can be deleted, because the state no longer differs from a new one.
    -- Rounded up to a full hour: if this indexed column changed with every rating, every update would also write to the index.
    expires_at timestamptz not null,
    -- `limiter_states.shared_at`: time of the last change of a rate class state, by which instances find the states that other
    -- instances changed. NULL for other limiters. Separate from `updated_at`, so that `updated_at` needs no index.
    shared_at timestamptz,
    constraint limiter_states_pkey primary key (limiter, key)
) with (fillfactor = 50);
create index limiter_states_by_expiry on limiter_states (expires_at);
create index limiter_states_shared on limiter_states (shared_at) where shared_at is not null;

-- Table `limiter_overrides`: limiter overrides, by which admins replace the rating limiter of the settings for the site or for one
-- post (see `src/rate/limiter/overrides.rs`). Append-only: the latest row for the site, or for a post, is active. Instances
-- reload the overrides if the highest id has changed, so inserts lock the table: ids become visible in ascending order.
create table limiter_overrides (
    id bigint generated always as identity primary key,
    -- `limiter_overrides.blog_id`: post that the override applies to; NULL for the whole site.
    blog_id bigint references blog_posts (id) on delete cascade,
    -- `limiter_overrides.limiter`: name of the limiter as in `RATING_LIMITER`, or `off`. NULL removes the override: a post then uses
    -- the limiter of the site, and the site uses the limiter of the settings.
    limiter text,
    -- `limiter_overrides.params`: parameters that differ from those of the settings; NULL if none does.
    params jsonb,
    reason text not null,
    chosen_at timestamptz not null,
    -- `limiter_overrides.chosen_by`: admin who set the override; NULL after the account was erased.
    chosen_by bigint references users (id) on delete set null,
    constraint choice_is_whole check (limiter is not null or params is null)
);
create index limiter_overrides_of_scope on limiter_overrides (blog_id, id desc);
create index limiter_overrides_of_user on limiter_overrides (chosen_by) where chosen_by is not null;

-- Table `custom_limits`: request limits that replace the normal ones for one user or network (see `src/custom_limits`). Every instance reads
-- the active rows once a second.
create table custom_limits (
    id bigint generated always as identity primary key,
    -- `custom_limits.limit_name`: rate class (`browse`, `write`, `rate`, `account`), `sign_in` for sign-ins, registrations
    -- and mails of a network, or `failed_ratings` for the failed rating attempts before a user is paused.
    limit_name text not null,
    -- `custom_limits.user_id`, `network`: whose requests the custom limit applies to. Exactly one of them is set.
    user_id bigint references users (id) on delete cascade,
    network cidr,
    -- `custom_limits.factor`: number by which the limit is multiplied; NULL for no limit.
    factor double precision,
    reason text not null,
    created_at timestamptz not null,
    -- `custom_limits.expires_at`: time at which the custom limit ends; NULL for never.
    expires_at timestamptz,
    constraint one_target check ((user_id is null) <> (network is null)),
    constraint custom_limits_of_user unique (user_id, limit_name),
    constraint custom_limits_of_network unique (network, limit_name)
);

-- Table `warning_levels`: warning level of users whose abuse was confirmed, in percent; makes their rate classes stricter (see
-- `src/custom_limits/warnings.rs`). The level falls by 5 points a day since `warning_levels.set_at`.
create table warning_levels (
    user_id bigint primary key references users (id) on delete cascade,
    -- `warning_levels.level`: level at the time `set_at`.
    level double precision not null,
    set_at timestamptz not null,
    constraint level_is_percentage check (level between 0 and 100)
);
