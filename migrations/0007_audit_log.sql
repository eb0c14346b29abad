-- Audit log: actions of staff, of users on their own accounts, and of the program. Rows are never changed; old ones are deleted.

create table audit_log (
    id bigint generated always as identity primary key,
    at timestamptz not null,
    -- Name of the action, such as `days.void`.
    act text not null,
    -- NULL for the program and its commands, and after the account was erased.
    actor_id bigint references users on delete set null,
    -- Account and post that the action was about. They may have been deleted.
    user_id bigint,
    post_id bigint,
    -- Values before and after, and the reason.
    details jsonb not null default '{}',
    -- Network of the client; see `sign_ins`.
    network text,
    -- Id of the request, as in the log.
    request_id text,
    constraint act_is_a_name check (act ~ '^[a-z_]+\.[a-z_]+$')
);
create index audit_log_of_actor on audit_log (actor_id, id desc) where actor_id is not null;
create index audit_log_of_user on audit_log (user_id, id desc) where user_id is not null;
create index audit_log_of_post on audit_log (post_id, id desc) where post_id is not null;
create index audit_log_of_act on audit_log (act, id desc);
create index audit_log_by_time on audit_log (at);

-- Words and numbers of an entry, for searching: the values of its details, network and request id.
create function words_of_entry(details jsonb, network text, request_id text) returns tsvector
    language sql immutable parallel safe
    return jsonb_to_tsvector('simple', details, '["string", "numeric"]')
        || to_tsvector('simple', coalesce(network, '') || ' ' || coalesce(request_id, ''));
create index audit_log_words on audit_log using gin (words_of_entry(details, network, request_id));

-- Rejects changes of an entry, except for removing actor and network when the account is erased.
create function audit_log_stays() returns trigger language plpgsql as $$
begin
    if (new.id, new.at, new.act, new.user_id, new.post_id, new.details, new.request_id)
        is distinct from (old.id, old.at, old.act, old.user_id, old.post_id, old.details, old.request_id)
        or (new.actor_id is not null and new.actor_id is distinct from old.actor_id)
        or (new.network is not null and new.network is distinct from old.network) then
        raise exception 'an entry of the audit log cannot be changed';
    end if;
    return new;
end $$;
create trigger audit_log_stays before update on audit_log for each row execute function audit_log_stays();
