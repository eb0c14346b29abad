-- Mail of no use any more, and mail that may have been delivered, is looked for every few seconds; many may wait.
create index outbox_by_expiry on outbox (expires_at);
create index outbox_handed_over on outbox (id) where handed_over;

-- The words and numbers of an entry of the log: of its details without the names of their fields, and from where it was done.
create function words_of_entry(details jsonb, network text, request_id text) returns tsvector
    language sql immutable parallel safe
    return jsonb_to_tsvector('simple', details, '["string", "numeric"]')
        || to_tsvector('simple', coalesce(network, '') || ' ' || coalesce(request_id, ''));
-- Of any three characters. It found words slowly that are beside others in every entry; the next migration makes another.
drop index audit_log_words;
