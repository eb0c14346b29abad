-- no-transaction
create index concurrently audit_log_words on audit_log using gin (words_of_entry(details, network, request_id));
