-- Reports of posts, and what staff decided. All reports of one post are one case; whoever disagrees with its decision may appeal once.

create table report_cases (
    id bigint generated always as identity primary key,
    -- Post, and its title and text when it was first reported. The post may have changed or been deleted since.
    blog_id bigint not null,
    title text not null,
    content text not null,
    author_id bigint references users (id) on delete set null,
    opened_at timestamptz not null,
    -- `kept`, `taken_down`, or `gone` if the post was deleted before; NULL until there is a decision.
    ruling text,
    -- `law` or `rules`, for a post that was taken down.
    ground text,
    reason text,
    decided_at timestamptz,
    -- NULL if the post was gone, or after the account was erased.
    decided_by bigint references users (id) on delete set null,
    -- All accounts that have decided the case, the latest last: an appeal is decided by somebody else.
    deciders bigint[] not null default '{}',
    -- True if the post was published when it was taken down, and will be published again if that is reversed.
    was_published boolean not null default true,
    -- Text of the appeal, and who appealed: `author` or `reporter`.
    appeal text,
    appeal_by text,
    -- Report of the reporter who appealed; NULL for the author.
    appeal_report bigint,
    appealed_at timestamptz,
    -- Final decision on the appeal.
    final_ruling text,
    final_ground text,
    final_reason text,
    final_at timestamptz,
    final_by bigint references users (id) on delete set null,
    -- Previous decision and appeal, if the author appeals after losing by the appeal of a reporter.
    before jsonb,
    constraint ruling_is_known check (
        coalesce(ruling, 'kept') in ('kept', 'taken_down', 'gone') and coalesce(final_ruling, 'kept') in ('kept', 'taken_down', 'gone')
    ),
    constraint ground_is_known check (coalesce(ground, 'law') in ('law', 'rules') and coalesce(final_ground, 'law') in ('law', 'rules')),
    constraint decision_is_whole check (
        (ruling is null) = (decided_at is null) and (ruling is not distinct from 'taken_down') = (ground is not null)
            and (reason is not null or coalesce(ruling, 'gone') = 'gone')
    ),
    constraint appeal_is_whole check (
        num_nulls(appeal, appeal_by, appealed_at) in (0, 3) and coalesce(appeal_by, 'author') in ('author', 'reporter')
            and (appealed_at is null or decided_at is not null)
    ),
    constraint final_decision_is_whole check (
        (final_ruling is null) = (final_at is null) and (final_ruling is not distinct from 'taken_down') = (final_ground is not null)
            and (final_reason is not null or coalesce(final_ruling, 'gone') = 'gone') and (final_at is null or appealed_at is not null)
    )
);
-- A post has at most one undecided case.
create unique index report_cases_open on report_cases (blog_id) where decided_at is null;
create index report_cases_waiting on report_cases (id)
    where decided_at is null or (appealed_at is not null and final_at is null);
create index report_cases_of_post on report_cases (blog_id, id desc);
create index report_cases_of_author on report_cases (author_id, id desc) where author_id is not null;
create index report_cases_of_staff on report_cases (decided_by) where decided_by is not null;
create index report_cases_of_last_staff on report_cases (final_by) where final_by is not null;
create index report_cases_by_decision on report_cases (decided_at) where decided_at is not null;

create table reports (
    id bigint generated always as identity primary key,
    case_id bigint not null references report_cases (id) on delete cascade,
    -- NULL for guests, and after the account was erased.
    user_id bigint references users (id) on delete set null,
    -- Such as `spam`.
    category text not null,
    explanation text not null,
    reported_at timestamptz not null
);
create unique index reports_of_case on reports (case_id, user_id, id);
create unique index reports_once on reports (user_id, case_id) where user_id is not null;

alter table blog_posts
    add constraint blog_posts_withheld_by_fkey foreign key (withheld_by) references report_cases (id);

-- Closes the case of a post that is deleted.
create function close_report_cases() returns trigger language plpgsql as $$
begin
    update report_cases set ruling = 'gone', decided_at = clock_timestamp() where blog_id = old.id and decided_at is null;
    update report_cases set final_ruling = 'gone', final_at = clock_timestamp()
    where blog_id = old.id and appealed_at is not null and final_at is null;
    return null;
end $$;
create trigger close_report_cases after delete on blog_posts for each row execute function close_report_cases();
