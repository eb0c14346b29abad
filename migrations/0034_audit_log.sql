-- Who did what: staff, owners of accounts, and the program itself. Rows are added, and swept when they are old.
create table audit_log (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    -- Such as `days.void`.
    act text not null,
    -- Who did it; null for the program, for its commands, and for somebody whose account is gone.
    actor_id bigint references users on delete set null,
    -- The account and the post that it was done to. They may be gone.
    user_id bigint,
    post_id bigint,
    -- What was before, what is after, and why.
    details jsonb not null default '{}',
    -- From where, as limits count it.
    network text,
    -- As the log of requests names it.
    request_id text,
    constraint act_is_a_name check (act ~ '^[a-z_]+\.[a-z_]+$')
);
create index audit_log_of_actor on audit_log (actor_id, id desc) where actor_id is not null;
create index audit_log_of_user on audit_log (user_id, id desc) where user_id is not null;
create index audit_log_of_post on audit_log (post_id, id desc) where post_id is not null;
create index audit_log_of_act on audit_log (act, id desc);
create index audit_log_by_time on audit_log (at);

-- What was done stays as it was written. Only who did it, and from where, is forgotten with their account.
create function audit_log_stays() returns trigger language plpgsql as $$
begin
    if (new.id, new.at, new.act, new.user_id, new.post_id, new.details, new.request_id)
        is distinct from (old.id, old.at, old.act, old.user_id, old.post_id, old.details, old.request_id)
        or (new.actor_id is not null and new.actor_id is distinct from old.actor_id)
        or (new.network is not null and new.network is distinct from old.network) then
        raise exception 'the audit log is not changed';
    end if;
    return new;
end $$;
create trigger audit_log_stays before update on audit_log for each row execute function audit_log_stays();
