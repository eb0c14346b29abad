-- Reports of posts, and the decisions of staff. Tables: `report_cases`, `reports`. All reports of a post that arrive before a
-- decision form one case. The author, or a reporter, can appeal the decision once.

create table report_cases (
    id bigint generated always as identity primary key,
    -- `report_cases.blog_id`, `title`, `content`: reported post, with its title and text at the time of the first report. The
    -- post may have been changed or deleted since.
    blog_id bigint not null,
    title text not null,
    content text not null,
    author_id bigint references users (id) on delete set null,
    opened_at timestamptz not null,
    -- `report_cases.weight`: sum of the weights of the reports, for the order of the list. A report weighs more if earlier
    -- reports by the same user led to takedowns.
    weight double precision not null default 0,
    -- `report_cases.ruling`: decision: `kept`, `taken_down`, or `gone` if the post was deleted before a decision. NULL for
    -- undecided cases.
    ruling text,
    -- `report_cases.ground`: reason category of a takedown: `law`, or `rules` for a violation of the site's rules. NULL for other
    -- rulings.
    ground text,
    reason text,
    decided_at timestamptz,
    -- `report_cases.decided_by`: staff member who decided the case; NULL if the post was deleted before, or after the account was
    -- erased.
    decided_by bigint references users (id) on delete set null,
    -- `report_cases.deciders`: ids of all users who have decided the case, in chronological order. An appeal must be decided by a
    -- user who is not among them.
    deciders bigint[] not null default '{}',
    -- `report_cases.was_published`: true if the post was published when it was taken down. Reversing the decision then publishes
    -- it again.
    was_published boolean not null default true,
    -- `report_cases.appeal`: text of the appeal. `report_cases.appeal_by`: party that appealed, `author` or `reporter`.
    appeal text,
    appeal_by text,
    -- `report_cases.appeal_report`: report of the reporter who appealed; NULL for an appeal by the author.
    appeal_report bigint,
    appealed_at timestamptz,
    -- `report_cases.final_ruling`, `final_ground`, `final_reason`, `final_at`, `final_by`: final decision, on the appeal. NULL
    -- before the final decision.
    final_ruling text,
    final_ground text,
    final_reason text,
    final_at timestamptz,
    final_by bigint references users (id) on delete set null,
    -- `report_cases.before`: previous decision and appeal, if the author appealed a decision that reversed the first one on the
    -- appeal of a reporter. NULL otherwise.
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
-- Index `report_cases_open`: a post has at most one undecided case.
create unique index report_cases_open on report_cases (blog_id) where decided_at is null;
create index report_cases_waiting on report_cases (id)
    where decided_at is null or (appealed_at is not null and final_at is null);
create index report_cases_by_weight on report_cases (weight desc, id desc);
create index report_cases_of_post on report_cases (blog_id, id desc);
create index report_cases_of_author on report_cases (author_id, id desc) where author_id is not null;
create index report_cases_of_staff on report_cases (decided_by) where decided_by is not null;
create index report_cases_of_last_staff on report_cases (final_by) where final_by is not null;
create index report_cases_by_decision on report_cases (decided_at) where decided_at is not null;

create table reports (
    id bigint generated always as identity primary key,
    case_id bigint not null references report_cases (id) on delete cascade,
    -- `reports.user_id`: reporter; NULL for anonymous visitors, and after the account was erased.
    user_id bigint references users (id) on delete set null,
    -- `reports.category`: category of the report, such as `spam`.
    category text not null,
    explanation text not null,
    reported_at timestamptz not null
);
create unique index reports_of_case on reports (case_id, user_id, id);
create unique index reports_once on reports (user_id, case_id) where user_id is not null;

alter table blog_posts
    add constraint blog_posts_withheld_by_fkey foreign key (withheld_by) references report_cases (id);

-- Trigger `close_report_cases`: closes the undecided cases and appeals of a post when the post is deleted.
create function close_report_cases() returns trigger language plpgsql as $$
begin
    update report_cases set ruling = 'gone', decided_at = clock_timestamp() where blog_id = old.id and decided_at is null;
    update report_cases set final_ruling = 'gone', final_at = clock_timestamp()
    where blog_id = old.id and appealed_at is not null and final_at is null;
    return null;
end $$;
create trigger close_report_cases after delete on blog_posts for each row execute function close_report_cases();
