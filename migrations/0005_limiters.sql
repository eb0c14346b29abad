-- States of rate limiters, and the rating limiters that administrators have chosen.

-- States of limiters by key. Those of posts are in `rating_totals`.
create table limiter_states (
    limiter text not null,
    -- Subject of the limit, such as `edit:7:42`.
    key text not null,
    state jsonb not null,
    updated_at timestamptz not null,
    -- Time from which the row may be deleted, because the state is as good as a fresh one. Rounded up to a whole hour: an indexed
    -- column that changed with every rating would make every update write to the index.
    expires_at timestamptz not null,
    -- Time of the last change, for states of rate classes only: instances read those that others have changed. A separate column
    -- keeps `updated_at` out of all indexes.
    shared_at timestamptz,
    constraint limiter_states_pkey primary key (limiter, key)
) with (fillfactor = 50);
create index limiter_states_by_expiry on limiter_states (expires_at);
create index limiter_states_shared on limiter_states (shared_at) where shared_at is not null;
-- For the admin area: the same order in every database.
create index limiter_states_by_key on limiter_states (limiter, key collate "C");

-- Rating limiters that administrators have chosen instead of the settings' (`src/rate/limiter/overrides.rs`). Rows are added and never changed;
-- the latest one for the site or for a post is in effect. Instances compare the highest id with the one they know, so a row is added
-- under a lock of the table: ids become visible in order.
create table gate_choices (
    id bigint generated always as identity primary key,
    -- NULL for the whole site.
    blog_id bigint references blog_posts (id) on delete cascade,
    -- Name as in the settings, or `off`. NULL returns to the settings' limiter, or from a post's own to the site's.
    limiter text,
    -- All its parameters.
    params jsonb,
    reason text not null,
    chosen_at timestamptz not null,
    -- NULL after the account was erased.
    chosen_by bigint references users (id) on delete set null,
    -- Choice that this one undid.
    undone_id bigint,
    constraint choice_is_whole check (limiter is not null or params is null)
);
create index gate_choices_of_scope on gate_choices (blog_id, id desc);
create index gate_choices_of_user on gate_choices (chosen_by) where chosen_by is not null;
