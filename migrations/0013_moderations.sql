-- What moderators have decided about days of posts' scores: an open log, in which nothing is changed or taken away.
create table moderations (
    id bigint generated always as identity primary key,
    blog_id bigint not null references rating_totals (blog_id) on delete cascade,
    -- Who; for the operator. Null when the account is gone.
    moderator_id bigint references users (id) on delete set null,
    -- Whether that was the author of the post.
    by_author boolean not null,
    -- `void` leaves the days out of the score, `restore` takes them in again.
    action text not null check (action in ('void', 'restore')),
    from_day date not null,
    until_day date not null,
    reason text not null,
    -- What it was about: days whose standing has changed, and their ratings.
    days bigint not null,
    ratings bigint not null,
    score_before double precision,
    score_after double precision,
    created_at timestamptz not null,
    constraint moderations_from_until check (from_day <= until_day)
);
-- The decision by which a day is left out.
alter table post_days add column moderation_id bigint;
create index moderations_by_post on moderations (blog_id, id);
create index moderations_by_moderator on moderations (moderator_id);

-- Only with its post does an entry go; of an account that is deleted the name goes.
create function keep_moderation() returns trigger language plpgsql as $$
begin
    if tg_op = 'UPDATE' then
        if to_jsonb(new) - 'moderator_id' = to_jsonb(old) - 'moderator_id' and new.moderator_id is null then
            return new;
        end if;
    elsif not exists (select from rating_totals where blog_id = old.blog_id) then
        return old;
    end if;
    raise exception 'what moderators have decided is not changed';
end
$$;
create trigger keep_moderation before update or delete on moderations for each row execute function keep_moderation();
