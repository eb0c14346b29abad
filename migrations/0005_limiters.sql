-- Rate limiter states and limiter overrides. Tables: `limiter_states`, `gate_choices`.

-- Table `limiter_states`: state of each rate limiter per key. States of rating limiters are in `rating_totals.gates` instead.
create table limiter_states (
    limiter text not null,
    -- `limiter_states.key`: subject of the limit. For example, `edit:7:42` limits changes by user 7 of the rating of post 42.
    key text not null,
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
-- Index `limiter_states_by_key`: list in the admin area. Collation `C` makes its order the same in every database.
create index limiter_states_by_key on limiter_states (limiter, key collate "C");

-- Table `gate_choices`: limiter overrides, by which admins replace the rating limiter of the settings for the site or for one
-- post (see `src/rate/limiter/overrides.rs`). Append-only: the latest row for the site, or for a post, is active. Instances
-- reload the overrides if the highest id has changed, so inserts lock the table: ids become visible in ascending order.
create table gate_choices (
    id bigint generated always as identity primary key,
    -- `gate_choices.blog_id`: post that the override applies to; NULL for the whole site.
    blog_id bigint references blog_posts (id) on delete cascade,
    -- `gate_choices.limiter`: name of the limiter as in `RATING_LIMITER`, or `off`. NULL removes the override: a post then uses
    -- the limiter of the site, and the site uses the limiter of the settings.
    limiter text,
    -- `gate_choices.params`: all parameters of the limiter.
    params jsonb,
    reason text not null,
    chosen_at timestamptz not null,
    -- `gate_choices.chosen_by`: admin who set the override; NULL after the account was erased.
    chosen_by bigint references users (id) on delete set null,
    -- `gate_choices.undone_id`: id of the override that this row undid; NULL if it undid none.
    undone_id bigint,
    constraint choice_is_whole check (limiter is not null or params is null)
);
create index gate_choices_of_scope on gate_choices (blog_id, id desc);
create index gate_choices_of_user on gate_choices (chosen_by) where chosen_by is not null;
